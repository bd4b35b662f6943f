package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table prints columns: the first left of them flush left, the numbers after them flush right.
type table struct {
	left int
	rows [][]string
}

func (t *table) row(cells ...any) {
	var r []string
	for _, c := range cells {
		r = append(r, fmt.Sprint(c))
	}
	t.rows = append(t.rows, r)
}

func (t *table) print(w io.Writer) {
	var width []int
	for _, r := range t.rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range t.rows {
		var b strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if i > 0 {
				b.WriteString("  ")
			}
			if i < t.left {
				b.WriteString(c + pad)
			} else {
				b.WriteString(pad + c)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}
