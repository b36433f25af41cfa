-- What is BLOCKED, in all datasets: people look at that first.
CREATE INDEX residency_blocked ON residency (version, region) WHERE state = 'BLOCKED';
