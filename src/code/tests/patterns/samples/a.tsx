import React from "react";
type Props = { name: string };
export function Hello({ name }: Props) {
  const [n, setN] = useState(0);
  useEffect(() => { load(); }, [n]);
  if (!n) { return null; }
  return <div className="a" onClick={() => setN(n + 1)}><b>{name}</b><Item key={n} /></div>;
}
const App: React.FC<Props> = (props) => { return <Hello {...props} />; };
