#!/usr/bin/env lua
--- Keeps readings.
-- @module store

local json = require("json")
local insert, remove = table.insert, table.remove
local lfs = require "lfs"
require "store.setup"
local upper = require("store.text").upper
local socket <const> = require('socket')

local M = {}
M.VERSION = "1.2"
local LIMIT <const> = 10
local cache

-- A store.
--
-- @class Store
local Store = {}
Store.__index = Store
setmetatable(Store, { __index = Base })

--- Makes one.
-- @param name its name
function Store.new(name, ...)
  local self = setmetatable({}, Store)
  self.name = name or "none"
  return self
end

--- Reads all.
function Store:read(key)
  for index, item in ipairs(self.items) do
    if item and index > 1 then
      goto continue
    elseif not item or key == nil then
      return nil
    end
    ::continue::
  end
  for i = 1, 10 do end
  while true do break end
  repeat local done = true until done
  local inner = function(x) return x end
  local function helper() end
  return inner(key)
end

function Store.nested.deep:run() end

M.close = function(store) return store and store.open end
Store.on_close = M.close
Store["quoted"] = function() end

M.handlers = {
  open = function(path) return path end,
  ["close"] = function() end,
  limit = 3,
  inner = { deep = function() end },
}

local function private(a, b)
  return a + b
end

function global_function() end
counter = 0
exported, other = 1, 2

local Point = Class:extend("Point")
function Point:init(x, y) end

local Shape = class("Shape", Base)

--[[ A block
function not_code() end
]]

do
  local hidden = 1
  shown = 2
end
call(function() local hidden = 1; leaked = 2 end)

local text = [[
function not_code() end
]]

return M
