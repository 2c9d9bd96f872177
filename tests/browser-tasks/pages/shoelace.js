import '@shoelace-style/shoelace/dist/themes/light.css';
import '@shoelace-style/shoelace/dist/components/button/button.js';
import '@shoelace-style/shoelace/dist/components/checkbox/checkbox.js';
import '@shoelace-style/shoelace/dist/components/input/input.js';
import '@shoelace-style/shoelace/dist/components/option/option.js';
import '@shoelace-style/shoelace/dist/components/select/select.js';

const part = (id) => document.querySelector(`#${id}`);
part('send').addEventListener('click', () => {
  const speed = part('express').checked ? 'express' : 'slow';
  part('said').textContent = `To ${part('to').value} on ${part('paper').value} paper, ${speed}`;
});
