import type { Reading } from './reading';
import fs = require('fs');
import Alias = Outer.Inner;

export type Pair<T> = [T, T];
export enum Level { Low, High = 2 }
declare const VERSION: string;
declare function load(path: string): Promise<void>;
declare module 'legacy' { export function old(): void; }

/** What can be stored. */
export interface Storable<K = string> extends Reading, Named<K> {
  readonly id: K;
  label?: string;
  (key: K): void;
  new (key: K): Storable<K>;
  [key: string]: unknown;
  save(force?: boolean): Promise<void>;
}

@Injectable({ scope: 'root' })
export abstract class Store<K, V extends object> extends Base<K> implements Storable<K>, Closeable {
  private static readonly cache: Map<string, number> = new Map();
  declare items: V[];
  constructor(private readonly path: string, public limit = 10, ...rest: number[]) { super(); }
  get(key: K): V;
  get(key: K, fallback: V): V;
  get(this: Store<K, V>, key: K, fallback?: V): V { return this.items.find((v) => v && key) ?? fallback!; }
  @Input() @Required() name = '';
  protected abstract close(): void;
  override async run<T>(job: () => T): Promise<T> { return job(); }
  private handle = (e: Event): void => { if (e) { } };
}

export function parse(text: string): number;
export function parse(text: unknown): number { return Number(text); }

export namespace Tools.Deep {
  export const max = (a: number, b: number): number => (a > b ? a : b);
  interface Hidden { x: number }
}
declare global { interface Window { store: Store } }
export declare abstract class Ambient { abstract run(): void; }
type Shape = { area(): number; new (): Shape };
export const one = 1, { two: [three] } = value;
import { /* none */ four, type Five } from './numbers';
let deferred: Promise<typeof import('./later')>;
export default { parse };
