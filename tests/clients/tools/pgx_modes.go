// covers: pgx
// needs: go github.com/jackc/pgx/v5@v5.7.6
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const people = "SELECT city, born, mood::text, is_member, height::text, tags FROM people WHERE height > $1 ORDER BY seen"

var ctx = context.Background()

type querier interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}

func texts(c querier, sql string, arguments ...any) (any, error) {
	rows, err := c.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	var found []string
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return nil, err
		}
		found = append(found, fmt.Sprint(values))
	}
	return strings.Join(found, "\n"), rows.Err()
}

func connected(options string, work func(*pgx.Conn) (any, error)) (any, error) {
	c, err := pgx.Connect(ctx, url+options)
	if err != nil {
		return nil, err
	}
	defer c.Close(ctx)
	return work(c)
}

func main() {
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
		check("rows in the mode "+mode, func() (any, error) {
			return connected("?default_query_exec_mode="+mode, func(c *pgx.Conn) (any, error) {
				return texts(c, people, 160)
			})
		})
	}
	for _, want := range []string{"any", "read-write", "read-only", "primary", "prefer-standby"} {
		if want == "read-only" {
			continue // PostgreSQL itself, which writes, is no such server
		}
		check("target_session_attrs="+want, func() (any, error) {
			return connected("?target_session_attrs="+want, func(c *pgx.Conn) (any, error) {
				return texts(c, "SELECT count(*) FROM people")
			})
		})
	}
	check("an enum by its type", func() (any, error) {
		return connected("", func(c *pgx.Conn) (any, error) {
			types, err := c.LoadTypes(ctx, []string{"mood", "_mood"})
			if err != nil {
				return nil, err
			}
			c.TypeMap().RegisterTypes(types)
			return texts(c, "SELECT mood, ARRAY[mood] FROM people ORDER BY seen")
		})
	})
	check("transactions of each kind", func() (any, error) {
		return connected("", func(c *pgx.Conn) (any, error) {
			var found []any
			for _, options := range []pgx.TxOptions{{}, {AccessMode: pgx.ReadOnly}, {AccessMode: pgx.ReadWrite},
				{IsoLevel: pgx.Serializable, AccessMode: pgx.ReadOnly, DeferrableMode: pgx.Deferrable}} {
				tx, err := c.BeginTx(ctx, options)
				if err != nil {
					return nil, err
				}
				value, err := texts(tx, "SELECT count(*) FROM people")
				if err != nil {
					return nil, err
				}
				found = append(found, value)
				if err := tx.Commit(ctx); err != nil {
					return nil, err
				}
			}
			return found, nil
		})
	})
	check("a batch", func() (any, error) {
		return connected("", func(c *pgx.Conn) (any, error) {
			batch := &pgx.Batch{}
			for n := 0; n < 5; n++ {
				batch.Queue("SELECT count(*) + $1::int FROM people", n)
			}
			results := c.SendBatch(ctx, batch)
			defer results.Close()
			var found []int64
			for n := 0; n < 5; n++ {
				var value int64
				if err := results.QueryRow().Scan(&value); err != nil {
					return nil, err
				}
				found = append(found, value)
			}
			return found, nil
		})
	})
	check("COPY", func() (any, error) {
		return connected("", func(c *pgx.Conn) (any, error) {
			var out strings.Builder
			_, err := c.PgConn().CopyTo(ctx, &out, "COPY people TO STDOUT (FORMAT csv)")
			return out.String(), err
		})
	})
	check("a pool", func() (any, error) {
		pool, err := pgxpool.New(ctx, url+"?pool_max_conns=2")
		if err != nil {
			return nil, err
		}
		defer pool.Close()
		var found []any
		for n := 0; n < 6; n++ {
			value, err := texts(pool, "SELECT count(*) FROM people WHERE city = $1", "Aber")
			if err != nil {
				return nil, err
			}
			found = append(found, value)
		}
		return found, nil
	})
	os.Exit(0)
}
