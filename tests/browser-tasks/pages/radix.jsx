import * as Alert from '@radix-ui/react-alert-dialog';
import * as Menu from '@radix-ui/react-dropdown-menu';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createPortal } from 'react-dom';

const say = (text) => (document.querySelector('#said').textContent = text);
const orders = Array.from({ length: 12 }, (_, at) => at + 1);

/** A popup that covers nothing and hides nothing, as many applications write it themselves. */
function Rename({ order }) {
  const [open, setOpen] = useState(false);
  const popup = (
    <div className="popup">
      <div>
        <label>
          New name of order {order} <input />
        </label>
        <button onClick={() => setOpen(false)}>Save name</button>
      </div>
    </div>
  );
  return (
    <>
      <button onClick={() => setOpen(true)}>Rename order {order}</button>
      {open && createPortal(popup, document.body)}
    </>
  );
}

function More({ order }) {
  return (
    <Menu.Root>
      <Menu.Trigger>More for order {order}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Content>
          <Menu.Item onSelect={() => say(`Printed ${order}`)}>Print</Menu.Item>
          <Menu.Sub>
            <Menu.SubTrigger>Send</Menu.SubTrigger>
            <Menu.Portal>
              <Menu.SubContent>
                <Menu.Item onSelect={() => say(`Posted ${order}`)}>By post</Menu.Item>
                <Menu.Item onSelect={() => say(`Mailed ${order}`)}>By e-mail</Menu.Item>
              </Menu.SubContent>
            </Menu.Portal>
          </Menu.Sub>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Remove({ order }) {
  return (
    <Alert.Root>
      <Alert.Trigger>Delete order {order}</Alert.Trigger>
      <Alert.Portal>
        <Alert.Overlay />
        <Alert.Content>
          <Alert.Title>Really?</Alert.Title>
          <Alert.Description>Order {order} cannot be brought back.</Alert.Description>
          <Alert.Cancel>Keep it</Alert.Cancel>
          <Alert.Action onClick={() => say(`Deleted ${order}`)}>Yes, delete</Alert.Action>
        </Alert.Content>
      </Alert.Portal>
    </Alert.Root>
  );
}

createRoot(document.querySelector('#root')).render(
  <div>
    <h1>Orders</h1>
    {orders.map((order) => (
      <div key={order}>
        <label>
          Field number {order} <input />
        </label>
        <Rename order={order} />
        <More order={order} />
        <Remove order={order} />
      </div>
    ))}
  </div>,
);
