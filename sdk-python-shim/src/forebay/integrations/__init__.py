"""Steps for pipelines. Each module needs the package of its pipeline: ``forebay[airflow]``, ``forebay[kfp]``."""
