import Sortable from 'sortablejs';

const plan = document.querySelector('#plan');
const say = () =>
  (document.querySelector('#said').textContent = [...plan.children].map((item) => item.textContent).join(', '));
// Without the browser's own drag and drop: by the pointer, asked every 50 ms what is below it.
Sortable.create(plan, { forceFallback: true, animation: 150, onEnd: say });
