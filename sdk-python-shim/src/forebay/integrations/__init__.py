"""Steps for pipelines. Each module needs the package that it plugs into: ``forebay[airflow]``, ``forebay[kfp]``."""
