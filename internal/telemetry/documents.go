package telemetry

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"
)

// Keep stores a document without the secrets in its strings. The document is in the file when Keep returns.
func (s *Store) Keep(ctx context.Context, d Document) error {
	d.Body = s.hideJSON(d.Body)
	_, err := s.KeepMany(ctx, []Document{d}, nil)
	return err
}

// hideJSON removes secrets from the strings of a JSON document.
func (s *Store) hideJSON(body []byte) []byte {
	if s.o.Hide == nil || len(body) == 0 || s.o.Hide(string(body)) == string(body) {
		return body
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return []byte(s.o.Hide(string(body)))
	}
	hidden, err := json.Marshal(s.hideIn(value))
	if err != nil {
		return []byte(s.o.Hide(string(body)))
	}
	return hidden
}

func (s *Store) hideIn(value any) any {
	switch v := value.(type) {
	case string:
		return s.o.Hide(v)
	case json.Number:
		if hidden := s.o.Hide(v.String()); hidden != v.String() {
			return hidden
		}
	case []any:
		for i := range v {
			v[i] = s.hideIn(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, one := range v {
			out[s.o.Hide(key)] = s.hideIn(one)
		}
		return out
	}
	return value
}

// Documents gives the matching documents, newest first, and their total number.
func (s *Store) Documents(ctx context.Context, q DocumentQuery) ([]Document, int, error) {
	if !s.load(ctx) {
		return nil, 0, ctx.Err()
	}
	if q.Limit <= 0 {
		q.Limit = 10
	}
	where, values := []string{"number > ?"}, []any{q.After}
	for column, value := range map[string]string{"kind": q.Kind, "id": q.ID, "device": q.Device, "app": q.App, "grp": q.Group} {
		if value != "" {
			where, values = append(where, column+" = ?"), append(values, value)
		}
	}
	if !q.Since.IsZero() {
		where, values = append(where, "time >= ?"), append(values, nanos(q.Since))
	}
	condition := " FROM document WHERE " + strings.Join(where, " AND ")
	var out []Document
	total := 0
	err := s.db.Read(func(db *sql.DB) error {
		out = nil
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // read only
		if err := tx.QueryRowContext(ctx, "SELECT count(*)"+condition, values...).Scan(&total); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, "SELECT number, kind, id, time, device, app, grp, body"+condition+" ORDER BY number DESC LIMIT ?",
			append(values, q.Limit)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var d Document
			var at int64
			if err := rows.Scan(&d.Number, &d.Kind, &d.ID, &at, &d.Device, &d.App, &d.Group, &d.Body); err != nil {
				return err
			}
			d.Time = time.Unix(0, at).UTC()
			out = append(out, d)
		}
		return rows.Err()
	})
	return out, total, err
}
