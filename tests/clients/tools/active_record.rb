# covers: Rails' ActiveRecord
# needs: apt ruby-activerecord
# needs: apt ruby-pg
require "active_record"
require_relative "checks"

class Town < ActiveRecord::Base
  self.primary_key = "town"
end

class Person < ActiveRecord::Base
  self.table_name = "people"
end

class Visit < ActiveRecord::Base
end

check("connecting") do
  ActiveRecord::Base.establish_connection(URL)
  ActiveRecord::Base.connection.select_value("SELECT count(*) FROM people")
end
check("rows of a model, with an enum, an array and json") do
  Person.order(:seen).pluck(:city, :born, :mood, :is_member, :height, :tags, :details)
end
check("groups") { [Person.group(:city).count.to_a.sort_by(&:inspect), Person.where(is_member: true).average(:height)] }
check("a sub-query") { Person.where(city: Town.where("size > 50").select(:town)).count }
check("in batches") do
  found = []
  Visit.find_each(batch_size: 90) { |visit| found << visit.town }
  found
end
check("transactions") do
  found = []
  [{}, { isolation: :repeatable_read }, { isolation: :serializable }].each do |options|
    Town.transaction(**options) { found << Town.count }
  end
  Town.transaction do
    Town.transaction(requires_new: true) do
      Town.connection.execute("SELECT 1 / (size - 4) FROM towns")
    rescue ActiveRecord::StatementInvalid
      raise ActiveRecord::Rollback
    end
    found << Town.count
  end
  found
end
check("what the adapter says of the schema") do
  connection = ActiveRecord::Base.connection
  [connection.tables.sort - ["diary"], connection.views.sort, connection.primary_key("visits"),
   connection.columns("visits").map { |column| [column.name, column.sql_type, column.null, column.comment] },
   connection.indexes("towns").map { |index| [index.name, index.columns, index.unique] },
   connection.foreign_keys("visits").map { |key| [key.to_table, key.column] },
   connection.table_comment("towns"), connection.table_exists?("nothing"),
   connection.schema_exists?("public"), connection.current_schema, connection.encoding]
end
check("columns that masks may hide may be null") do
  ActiveRecord::Base.connection.columns("people").map { |column| [column.name, column.null] }
end
check("the indexes of a table with an expression index") do
  ActiveRecord::Base.connection.indexes("people").length >= 0
end
check("a schema dump of open tables") do
  out = StringIO.new
  ActiveRecord::SchemaDumper.ignore_tables = %w[people diary]
  ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.connection, out)
  out.string.lines.reject { |line| line.include?("enable_extension") }.join
end
