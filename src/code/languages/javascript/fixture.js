'use strict';
import React, { useState as state, memo } from 'react';
import * as path from "node:path";
import './side-effect.css';
const fs = require('fs'), { join, resolve: abs } = require('path');

/** The limit. */
export const LIMIT = 10;
let first, [second, third] = [1, 2];

export default class Store extends Base(Map) {
  #secret = 1;
  static count = 0;
  handle = async (event) => { if (event?.ok ?? false) this.#check(); };
  static { Store.count = 1; }
  constructor(path, { strict = false } = {}, ...rest) { super(); this.path = path; }
  get size() { return this.items.length; }
  set size(value) { }
  static async *read(file) { for await (const line of file) yield line; }
  #check() { return a && b || c ? 1 : 2; }
  'quoted name'() { }
}

export function* walk(node) {
  const helper = x => x + 1;
  function inner() { return { local() { } }; }
  switch (node) { case 1: case 2: yield* node; default: break; }
}

export const double = x => x * 2;
const Anonymous = class extends Store { run() { } };
const api = {
  version: 1,
  async list(page = 1) { try { await 1; } catch { } },
  remove: function (id) { while (id) id--; },
};

export { api, double as twice };
export * as tools from './tools.js';
export { default } from './other.js';
module.exports.helper = function (a) { return a; };
module.exports = { walk, Store };
Store.prototype.extra = function () { };
const lazy = () => import('./lazy.js');
const Mixin = (cls) => class Named extends cls { mixed() { } };
function make() { return class { made() { } }; }
const { a: { deep }, ...others } = load();
exports.VERSION = '1';
require('./side.js');
(function () { var hidden = 1; function shown() { var local; } })();
describe('it', () => { const local = 1; function inside() { } });
for (let i = 0; i < 1; i++) { }
items.push(class By { });
