using System;
using static System.Math;
using Json = System.Text.Json;
global using System.Linq;

[assembly: InternalsVisibleTo("Tests")]

namespace Shop.Model;

/// <summary>Finds an item.</summary>
/// <param name="key">what</param>
public delegate Task<T> Finder<in T>(T key, params object[] rest) where T : class;

/// <summary>
/// Holds <see cref="Item"/>s.
/// </summary>
[Serializable, Obsolete("old")]
public abstract partial class Store<TKey, TValue>(int size, ILogger log) : Base<TKey>(size), IDisposable, IList<TKey>
    where TKey : notnull, new()
{
    private const int Limit = 3, Step = 4;
    private readonly Dictionary<string, int?> _items = new();
    private static readonly Func<int, int> Twice = x => x * 2;
    public static event EventHandler? Changed;

    public event EventHandler Custom { add { } remove { } }

    /// <summary>The name.</summary>
    public string Name { get; private set; } = "all";
    public required int Count { get; init; }
    public int Size => _items.Count;
    public TValue this[TKey key] { get => Find(key); set { } }

    public Store(string path) : this(1, null) { }
    static Store() { }
    ~Store() { }

    public static Store<TKey, TValue> operator +(Store<TKey, TValue> a, int b) => a;
    public static implicit operator bool(Store<TKey, TValue> store) => true;

    protected internal virtual async Task<int?> LoadAsync(
        [FromBody] string path, int n = 3, CancellationToken token = default)
    {
        int Clamp(int x) => x > 0 ? x : 0;
        if (n > 2 && path is { } text || token.IsCancellationRequested)
        {
            await foreach (var row in Rows(path)) { }
        }
        switch (n)
        {
            case 1:
            case 2:
                return null;
            default:
                break;
        }
        return n switch { 1 => 2, > 3 when path != "" => 4, _ => Clamp(n) };
    }

    void IDisposable.Dispose() { }
    public abstract void Go<T>() where T : struct;

    private protected IEnumerable<int> Rows(string path)
    {
        try { Open(path); }
        catch (IOException e) when (e.HResult == 0) { yield break; }
        yield return path?.Length ?? 0;
    }

    class Inner { internal int x; }
}

public record Point(int X, int Y) : IShape
{
    public int Sum => X + Y;
}

public readonly record struct Cell(int Row);

public interface IShape : IEquatable<IShape>
{
    int Area { get; }
    void Draw() { }
    static abstract int Make(in int size, ref int used, out int left);
}

internal enum Level : byte
{
    Low,
    [Loud] High = 4,
}

file static class Extensions
{
    [DllImport("libc")]
    public static extern int getpid();
    public static int Length(this string text) => text.Length;
}

#if DEBUG
struct Debug { }
#endif
