using System;
using System.Linq;
namespace Shop {
    [Serializable]
    public class Cart : Base, IShape {
        private readonly int n = 1;
        public string Name { get; set; }
        public Cart(int n) { this.n = n; }
        [HttpGet]
        public async Task<int> Load(int id) { return await Get(id); }
        public static int Twice(int x) { return x * 2; }
        void Run() {
            if (n > 1) { Console.WriteLine(n); }
            if (a) { b(); } else { c(); }
            foreach (var x in items) { Console.WriteLine(x); }
            for (int i = 0; i < 3; i++) { Console.WriteLine(i); }
            while (true) { break; }
            try { Run(); } catch (Exception e) { throw; }
            try { Run(); } catch (IOException e) { Log(e); } finally { Close(); }
            using (var f = Open()) { f.Read(); }
            var y = items.Where(x => x > 1).ToList();
            string s = $"a {n}";
            int? z = a ?? b;
            var p = new Point(1, 2);
            switch (a) { case 1: Run(); break; default: Stop(); break; }
            lock (this) { Run(); }
            throw new Exception("x");
        }
        int Sum => 1;
    }
    interface IShape { double Area(); }
    enum Color { Red, Green }
    record Point(int X, int Y);
}
