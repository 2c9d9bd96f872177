# frozen_string_literal: true

require "json"
require_relative "./version"
load File.join(__dir__, "setup.rb")
autoload :Parser, "store/parser"

$registry = {}
config = JSON.parse(ARGV.first)

# Keeps readings.
#
# @since 1
module Store
  LIMIT = 10
  MAJOR, MINOR, *REST = VERSION.split(".")
  CLEAN = ->(text) { text.strip }
  Error = Class.new(StandardError)
  # A place.
  Point = Struct.new(:x, :y, keyword_init: true) do
    def dist(other = nil) = other && x > y ? x : y
  end
  Range = Data.define(:low, :high)
  private_constant :CLEAN

  class Index::Entry < Struct.new(:key)
  end

  # The one
  # and only.
  class Keeper < Base
    include Comparable, Enumerable
    extend Forwardable
    @@count = 0

    # Its name.
    attr_reader :name, "path"
    attr_writer :limit
    protected attr_accessor :secret

    class << self
      attr_reader :instance
      def open(path, *modes, mode: "r", **options, &block)
        raise ArgumentError unless path
        yield new(path) if block
      rescue IOError, SystemCallError => e
        retry while e.nil?
      end

      private

      def make(...) = new(...)
    end

    def self.default; end
    private_class_method :default

    def initialize(name) # :nodoc:
      @name = name
      @@count += 1
    end

    def empty?; @items.empty? or @items.nil? end
    def name=(value)
      @name ||= value
    end
    def [](key) = @items[key]
    def <=>(other)
      case other
      when Keeper, String then 0
      when nil then -1
      else 1
      end
    end

    alias size count

    private

    def helper
      @items.each { |item| next if item && item.ok? }
      case @items
      in [Integer => n] if n > 1 then n
      in [] then 0
      end
    end

    alias_method :length, :helper
    define_method(:dynamic) { |a, b = 1| a }

    public

    def respond_to_missing?(*) = true
    private def hidden; end
    memoize def shown; end

=begin
Block of words.
=end
    def documented
      nested = -> { 1 }
      def inner; end
    end
  end

  class Keeper
    def reopened; end
    %w[a b].each { |n| define_method(n) { n } }
  end

  module Mixin
    module_function

    def helper(a) = a
  end

  def self.version = VERSION
end

def top(arg)
  arg.map do |x|
    x.zero? ? 1 : 2
  end
end

def config.reload; end

class String
  prepend Store::Mixin
  undef_method :strip
end

::Store::ORIGIN = Store

Store::Keeper.class_eval do
  def added; end
end

class Store::Loud
  $loud = true
end
__END__
def not_code; end
