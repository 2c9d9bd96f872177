//! Tests of definitions in the dialects of SQL.

use tokio_util::sync::CancellationToken;

use crate::{extract::extract, languages::by_name, parse::tests::parsed, table::signature};

/// Returns the last line, qualified name, signature, modifiers and complexity of each definition.
fn outline(text: &str) -> Vec<String> {
    let parsed = parsed("a.sql", text);
    let facts = &by_name("sql").expect("known").facts;
    let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
    let line = |(at, element): (usize, &crate::elements::CodeElement)| {
        let code = element.code()?;
        Some(format!(
            "{} {} {} [{}] {}",
            element.span.end_line,
            elements.qualified_name(at),
            signature(element, facts),
            code.modifiers.join(" "),
            code.complexity.unwrap_or(0)
        ))
    };
    elements.list.iter().enumerate().filter_map(line).collect()
}

#[test]
fn t_sql_definitions_are_found() {
    assert_eq!(
        outline(
            "CREATE OR ALTER PROCEDURE [dbo].[Get] @id int = 1, @all bit OUTPUT\nAS\nBEGIN\n  IF @id > 1 BEGIN SELECT 1; END\n  SELECT 2;\nEND\nGO\nCREATE TABLE #t ([Id] int IDENTITY(1,1) NOT NULL, Name nvarchar(max) NULL)\nGO\nALTER FUNCTION f(@a int) RETURNS int AS BEGIN RETURN @a END\n"
        ),
        [
            "6 dbo.Get dbo.Get(@id int = 1, @all bit OUTPUT) [procedure] 2",
            "8 #t #t [table] 0",
            "8 #t.Id Id: int [identity not null] 0",
            "8 #t.Name Name: nvarchar(max) [] 0",
            "10 f f(@a int) returns int [] 1",
        ]
    );
}

#[test]
fn oracle_definitions_are_found() {
    assert_eq!(
        outline(
            "CREATE OR REPLACE FUNCTION total (p_id IN NUMBER, p_x OUT VARCHAR2) RETURN NUMBER IS\n  v NUMBER;\nBEGIN\n  FOR r IN (SELECT 1 FROM dual) LOOP\n    v := 1;\n  END LOOP;\n  RETURN v;\nEXCEPTION WHEN OTHERS THEN RETURN 0;\nEND total;\n/\nCREATE TABLE t (id NUMBER(10) DEFAULT 1 NOT NULL, CONSTRAINT t_pk PRIMARY KEY (id));\n"
        ),
        [
            "9 total total(p_id IN NUMBER, p_x OUT VARCHAR2) returns NUMBER [] 3",
            "11 t t [table] 0",
            "11 t.id id: NUMBER(10) = 1 [not null primary key] 0",
        ]
    );
}

#[test]
fn mysql_and_sqlite_definitions_are_found() {
    assert_eq!(
        outline(
            "DELIMITER //\nCREATE DEFINER=`root`@`localhost` PROCEDURE pay(IN who BIGINT)\nBEGIN\n  IF who THEN SELECT CASE who WHEN 1 THEN 2 END; END IF;\nEND//\nDELIMITER ;\nCREATE TABLE IF NOT EXISTS `key` (`key` varchar(9) CHARACTER SET utf8 DEFAULT 'a,b', FULLTEXT KEY ft (`key`), CONSTRAINT fk FOREIGN KEY (`key`) REFERENCES o (`x`) ON DELETE SET NULL);\nCREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE t SET a = 1; END;\nCREATE VIRTUAL TABLE docs USING fts5(body);\n"
        ),
        [
            "5 pay pay(IN who BIGINT) [procedure] 3",
            "7 key key [table] 0",
            "7 key.key key: varchar(9) = 'a,b' [references o(`x`)] 0",
            "7 key.ft ft = (`key`) [fulltext] 0",
            "8 tr tr(after insert on t) [trigger] 1",
            "9 docs docs [table virtual] 0",
            "9 docs.body body [] 0",
        ]
    );
}

#[test]
fn broken_statement_does_not_hide_later_ones() {
    assert_eq!(
        outline("CREATE TABLE a (b int;\n\nCREATE TABLE;\nCREATE VIEW v AS SELECT 'x;\n"),
        ["1 a a [table] 0", "1 a.b b: int [] 0", "4 v v [view] 0"]
    );
}
