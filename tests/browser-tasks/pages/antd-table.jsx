import { Popconfirm, Table } from 'antd';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const say = (text) => (document.querySelector('#said').textContent = text);
const first = Array.from({ length: 48 }, (_, at) => ({ key: at + 1, name: `Order ${at + 1}`, price: `${(at + 1) * 10} yen` }));

function Orders() {
  const [orders, setOrders] = useState(first);
  const remove = (key) => {
    setOrders(orders.filter((order) => order.key !== key));
    say(`Deleted order ${key}`);
  };
  const columns = [
    { title: 'Order', dataIndex: 'name' },
    { title: 'Price', dataIndex: 'price' },
    {
      title: 'Action',
      render: (_, order) => (
        <Popconfirm title={`Delete ${order.name.toLowerCase()}?`} onConfirm={() => remove(order.key)}>
          <a>Delete</a>
        </Popconfirm>
      ),
    },
  ];
  return <Table columns={columns} dataSource={orders} pagination={{ pageSize: 10 }} />;
}

createRoot(document.querySelector('#root')).render(<Orders />);
