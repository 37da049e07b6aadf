// covers: lib/pq
// needs: go github.com/lib/pq@v1.10.9
package main

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/lib/pq"
)

type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

var ctx = context.Background()

func texts(base querier, statement string, arguments ...any) (any, error) {
	rows, err := base.QueryContext(ctx, statement, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, _ := rows.Columns()
	var found [][]string
	for rows.Next() {
		cells := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		var row []string
		for _, cell := range cells {
			row = append(row, fmt.Sprint(cell))
		}
		found = append(found, row)
	}
	return found, rows.Err()
}

func opened(options string, work func(*sql.DB) (any, error)) (any, error) {
	base, err := sql.Open("postgres", url+"?sslmode=disable"+options)
	if err != nil {
		return nil, err
	}
	defer base.Close()
	return work(base)
}

func main() {
	for _, options := range []string{"", "&binary_parameters=yes", "&application_name=report", "&search_path=public"} {
		check("rows with the options "+options, func() (any, error) {
			return opened(options, func(base *sql.DB) (any, error) {
				return texts(base, "SELECT city, born, mood, height FROM people WHERE city = $1 ORDER BY seen", "Aber")
			})
		})
	}
	for _, options := range []*sql.TxOptions{nil, {ReadOnly: true}, {Isolation: sql.LevelSerializable}} {
		check(fmt.Sprintf("a transaction with %+v", options), func() (any, error) {
			return opened("", func(base *sql.DB) (any, error) {
				tx, err := base.BeginTx(ctx, options)
				if err != nil {
					return nil, err
				}
				defer tx.Rollback()
				value, err := texts(tx, "SELECT count(*) FROM people")
				if err != nil {
					return nil, err
				}
				return value, tx.Commit()
			})
		})
	}
	check("a prepared statement", func() (any, error) {
		return opened("", func(base *sql.DB) (any, error) {
			statement, err := base.Prepare("SELECT count(*) FROM visits WHERE town = ANY($1)")
			if err != nil {
				return nil, err
			}
			var n int
			err = statement.QueryRow(pq.Array([]string{"Aber", "Bree"})).Scan(&n)
			return n, err
		})
	})
	check("the SQLSTATE of an error", func() (any, error) {
		return opened("", func(base *sql.DB) (any, error) {
			_, err := texts(base, "SELECT 1 / (size - 4) FROM towns")
			return string(err.(*pq.Error).Code), nil
		})
	})
}
