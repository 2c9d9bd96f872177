-- The shop.
CREATE SCHEMA IF NOT EXISTS shop;
CREATE EXTENSION IF NOT EXISTS pgcrypto;

/* Who buys.
   One row a person. */
CREATE TABLE IF NOT EXISTS shop.customers (
    id bigserial PRIMARY KEY,
    email varchar(255) NOT NULL UNIQUE, -- how they log in
    balance numeric(10, 2) DEFAULT 0.00 CHECK (balance >= 0),
    "display name" text,
    created_at timestamp with time zone NOT NULL DEFAULT now(),
    country_id integer,
    FOREIGN KEY (country_id) REFERENCES shop.countries (id)
);

CREATE TABLE order_items (
    order_id bigint NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    position integer NOT NULL,
    PRIMARY KEY (order_id, position)
);
COMMENT ON TABLE order_items IS 'What was bought';
COMMENT ON COLUMN shop.customers.email IS 'It''s for the login';

CREATE TEMPORARY TABLE recent AS SELECT * FROM shop.customers;
CREATE TABLE `legacy` (`id` int unsigned NOT NULL AUTO_INCREMENT COMMENT 'the id', PRIMARY KEY (`id`), KEY `by_id` (`id`)) ENGINE=InnoDB;

CREATE OR REPLACE VIEW shop.active AS SELECT id, email FROM shop.customers WHERE balance > 0;
CREATE MATERIALIZED VIEW totals AS SELECT count(*) AS n FROM shop.customers;

CREATE UNIQUE INDEX CONCURRENTLY by_email ON shop.customers USING btree (lower(email), id DESC) WHERE balance > 0;

CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TYPE pair AS (a integer, b text);
CREATE SEQUENCE numbers START WITH 5;

-- Adds.
-- Really.
CREATE FUNCTION add(a integer, b integer DEFAULT 1) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN a > 0 AND b > 0 THEN a + b ELSE 0 END; $$;

CREATE FUNCTION everyone(OUT n integer, VARIADIC names text[]) RETURNS SETOF shop.customers STABLE LANGUAGE sql AS 'select * from shop.customers';

CREATE TRIGGER touch_customers BEFORE INSERT OR UPDATE ON shop.customers FOR EACH ROW EXECUTE FUNCTION touch();

ALTER TABLE shop.customers ADD COLUMN note text;
ALTER TABLE shop.customers ADD CONSTRAINT one_name UNIQUE ("display name");
WITH x AS (SELECT 1) SELECT * FROM x;
INSERT INTO shop.customers (email) VALUES ('a;b');
