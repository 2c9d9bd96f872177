import { a, b } from "./mod";
import { only } from 'one';
import type { T } from "./types";
import * as all from "all";
import def from "def";
export { a, b };
export default class Main { }
export const limit = 3;
export interface Shape { area(): number; name?: string }
export type Id = string | number;
enum Color { Red, Green }
class Store<T> extends Base implements Shape {
  private items: T[] = [];
  constructor(private readonly api: Api) { super(); }
  async load(id: Id): Promise<T> { return await this.api.get(id); }
  get size(): number { return this.items.length; }
  static of<T>(): Store<T> { return new Store<T>(api); }
}
function add(x: number, y: number): number { return x + y; }
function* ids() { yield 1; yield 2; }
const f = (x: number) => x * 2;
const g = async () => { await f(1); };
async function run() {
  try { await load(); } catch (e) { console.error(e); }
  try { risky(); } catch { ignore(); } finally { done(); }
  if (a) { console.log(a); }
  if (a === b) { b(); } else { a(); }
  for (const x of items) { console.log(x); }
  for (let i = 0; i < 3; i++) { console.log(i); }
  for (const k in obj) { use(k); }
  while (true) { break; }
  switch (a) { case 1: run(); break; default: stop(); }
  const { x, y } = point;
  const [first, ...rest] = items;
  let z = x ?? y;
  const v = obj?.prop;
  const n = obj!;
  const s = x as string;
  const t = `a ${x}`;
  throw new Error("no");
  return { x, y: 1 };
}
