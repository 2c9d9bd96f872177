require 'json'
module Shop
  class Cart < Base
    attr_reader :items
    include Enumerable
    def initialize(a, b = 1)
      @a = a
    end
    def self.make(x)
      new(x)
    end
    def run
      if @a
        puts @a
      else
        puts 1
      end
      unless x
        raise ArgumentError, "x"
      end
      items.each do |i|
        puts i
      end
      items.map { |i| i + 1 }
      begin
        load
      rescue StandardError => e
        log(e)
      ensure
        close
      end
      while x
        break
      end
      case x
      when 1 then puts 1
      else puts 2
      end
      puts "a" if x
      raise "no"
      h = { a: 1, "b" => 2 }
      h[:a] = 3
      x ||= 1
      return x
    end
  end
end
