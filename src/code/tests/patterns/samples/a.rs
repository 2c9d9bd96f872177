use std::{collections::HashMap, fmt};
use crate::shop::Cart;
#[derive(Debug, Clone)]
pub struct Point { pub x: i32, y: i32 }
struct Unit;
struct Pair(i32, String);
pub enum Shape { Circle(f64), Square { side: f64 }, Nothing }
pub trait Area { fn area(&self) -> f64; }
impl Area for Point { fn area(&self) -> f64 { 0.0 } }
impl fmt::Display for Point { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "x") } }
impl Point { pub fn new(x: i32) -> Self { Self { x, y: 0 } } fn get(&self) -> i32 { self.x } }
mod inner { pub fn f() {} }
const LIMIT: usize = 3;
static NAME: &str = "a";
type Map = HashMap<String, i32>;
pub async fn load(id: u32) -> Result<String, Error> {
    let text = read(id).await?;
    let Some(x) = find(id) else { return Err(Error::None); };
    match text.len() { 0 => Err(Error::Empty), n if n > 3 => Ok(text), _ => Ok(String::new()) }
}
fn main() {
    let mut v = vec![1, 2];
    let n: i32 = "1".parse().unwrap();
    if v.is_empty() { return; }
    if let Some(x) = v.pop() { println!("{}", x); } else { panic!("none"); }
    for x in v.iter() { println!("{x}"); }
    while let Some(x) = v.pop() { drop(x); }
    while n > 3 { break; }
    loop { break; }
    let f = |a| a + 1;
    let g = move |a: i32| { a * 2 };
    let r = v.iter().map(|x| x + 1).collect::<Vec<_>>();
    let p = Point { x: 1, y: 2 };
    unsafe { danger(); }
    x = y; x += 1;
    let s = &v[0]; let t = (1, 2);
    match n { 1 => {} _ => {} }
    foo.expect("x"); bar.unwrap();
}
