import { LitElement, html } from 'lit';

class Button extends LitElement {
  render() {
    return html`<button><slot></slot></button>`;
  }
}

class Cart extends LitElement {
  static properties = { count: { state: true }, name: { state: true } };
  constructor() {
    super();
    this.count = 0;
    this.name = '';
  }
  render() {
    return html`
      <label>Name <input .value=${this.name} @input=${(event) => (this.name = event.target.value)} /></label>
      <x-button @click=${() => (this.count += 1)}><span>Add one</span></x-button>
      <x-button @click=${this.order}>Order now</x-button>
      <p>${this.count} in the cart of ${this.name || 'nobody'}</p>
    `;
  }
  order() {
    document.querySelector('#said').textContent = `${this.name} ordered ${this.count}`;
  }
}

customElements.define('x-button', Button);
customElements.define('x-cart', Cart);
