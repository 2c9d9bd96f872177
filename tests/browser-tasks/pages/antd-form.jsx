import { Button, Form, Input, InputNumber, Modal, Select } from 'antd';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const say = (text) => (document.querySelector('#said').textContent = text);
const customers = ['Aiko', 'Botan', 'Chie', 'Daichi'].map((name) => ({ value: name.toLowerCase(), label: name }));

function NewOrder() {
  const [open, setOpen] = useState(false);
  const [form] = Form.useForm();
  const finish = ({ customer, pieces, note }) => {
    setOpen(false);
    say(`Ordered ${pieces} for ${customer}: ${note}`);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>New order</Button>
      <Modal title="New order" open={open} okText="Place order" onOk={() => form.submit()} onCancel={() => setOpen(false)}>
        <Form form={form} onFinish={finish} layout="vertical">
          <Form.Item name="customer" label="Customer" rules={[{ required: true, message: 'Who is it for?' }]}>
            <Select showSearch optionFilterProp="label" options={customers} placeholder="Choose" />
          </Form.Item>
          <Form.Item name="pieces" label="Pieces" rules={[{ required: true, message: 'How many?' }]}>
            <InputNumber min={1} max={99} />
          </Form.Item>
          <Form.Item name="note" label="Note">
            <Input />
          </Form.Item>
        </Form>
      </Modal>
    </>
  );
}

createRoot(document.querySelector('#root')).render(<NewOrder />);
