const fs = require('fs');
import React, { useState } from 'react';
export default function App() { return null; }
export const one = 1;
class A extends B { constructor() { super(); } static make() { return new A(); } get x() { return 1; } }
function go(a, b = 1, ...rest) { return a + b; }
var old = function () { return this; };
const h = x => x + 1;
if (a == b) { alert(1); }
if (a) { go(1); } else if (b) { go(2); } else { go(3); }
for (let i = 0; i < 3; i++) { console.log(i); }
for (const x of xs) { console.log(x, 1); }
try { go(); } catch (e) { console.error(e); } finally { end(); }
switch (x) { case 1: go(); break; default: stop(); }
do { x++; } while (x < 3);
promise.then(r => r.json()).catch(e => console.error(e));
el.addEventListener('click', function (e) { e.preventDefault(); });
const o = { a, b: 2, c() { return 3; }, ...rest };
delete o.a;
typeof x === 'string';
x = a ? b : c;
new Promise((resolve, reject) => { resolve(1); });
throw new Error('no');
