package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Mutant is one planted fault.
type Mutant struct {
	Number   int
	Name     string // kebab-case, of the file
	Title    string // what is wrong, one sentence
	Rows     []string
	Violates []string // ids of what it breaks: any of them counts as the expected catch
	Hunks    []Hunk
	Path     string
}

// Hunk replaces lines that stand exactly once in a file.
type Hunk struct {
	File    string // from the module's root
	Find    string
	Replace string
}

// Load reads all mutants of a directory, by number. Two with one number, or a file that cannot be read, are an error that
// names the file and the line.
func Load(dir string) ([]*Mutant, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.mutant"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no mutants in %s: start in the module's directory", dir)
	}
	var out []*Mutant
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		m, err := Parse(p, string(text))
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b *Mutant) int { return a.Number - b.Number })
	for i := 1; i < len(out); i++ {
		if out[i].Number == out[i-1].Number {
			return nil, fmt.Errorf("%s and %s have one number", out[i-1].Path, out[i].Path)
		}
	}
	return out, nil
}

// Parse reads one mutant: lines "mutant: 7", "title: …", "rows: B-01, Q-05", "violates: I-4", then hunks of "file: …",
// "find:" and "replace:", each of the latter two followed by lines that begin with a vertical bar.
func Parse(path, text string) (*Mutant, error) {
	m := &Mutant{Path: path, Name: strings.TrimSuffix(filepath.Base(path), ".mutant")}
	var into *string
	for n, line := range strings.Split(text, "\n") {
		bad := func(want string) error { return fmt.Errorf("%s:%d: %q: want %s", path, n+1, line, want) }
		if rest, code := strings.CutPrefix(line, "|"); code {
			if into == nil {
				return nil, bad("find: or replace: before lines of code")
			}
			*into += rest + "\n"
			continue
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		list := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		into = nil
		switch {
		case !found:
			return nil, bad("a field and a colon")
		case key == "mutant":
			i, err := strconv.Atoi(value)
			if err != nil || i < 0 {
				return nil, bad("a number")
			}
			m.Number = i
		case key == "title":
			m.Title = value
		case key == "rows":
			m.Rows = list
		case key == "violates":
			m.Violates = list
		case key == "file":
			m.Hunks = append(m.Hunks, Hunk{File: value})
		case (key == "find" || key == "replace") && len(m.Hunks) > 0:
			h := &m.Hunks[len(m.Hunks)-1]
			if key == "find" && h.Find != "" { // another hunk of the same file
				m.Hunks = append(m.Hunks, Hunk{File: h.File})
				h = &m.Hunks[len(m.Hunks)-1]
			}
			if into = &h.Find; key == "replace" {
				into = &h.Replace
			}
		default:
			return nil, bad("mutant, title, rows, violates, file, find or replace")
		}
	}
	switch {
	case m.Title == "" || len(m.Violates) == 0 || len(m.Hunks) == 0:
		return nil, fmt.Errorf("%s: a mutant needs title, violates and a hunk", path)
	case !strings.HasPrefix(m.Name, fmt.Sprintf("%02d-", m.Number)):
		return nil, fmt.Errorf("%s: the file's name must begin with its number, %02d-", path, m.Number)
	}
	return m, nil
}

// Apply gives the files that read otherwise, by path from root. The error says which lines are not there, or not once.
func (m *Mutant) Apply(root string) (map[string]string, error) {
	out := make(map[string]string)
	for _, h := range m.Hunks {
		text, done := out[h.File]
		if !done {
			b, err := os.ReadFile(filepath.Join(root, h.File))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Path, err)
			}
			text = string(b)
		}
		if n := strings.Count(text, h.Find); n != 1 || h.Find == "" {
			return nil, fmt.Errorf("%s does not apply: these lines stand %d times in %s, must be once:\n%s", m.Path, n, h.File, h.Find)
		}
		if h.Find == h.Replace {
			return nil, fmt.Errorf("%s: a hunk of %s changes nothing", m.Path, h.File)
		}
		out[h.File] = strings.Replace(text, h.Find, h.Replace, 1)
	}
	return out, nil
}

// Overlay writes the changed files and the overlay description of the Go tool into dir, and gives the latter's path.
func (m *Mutant) Overlay(root, dir string) (string, error) {
	files, err := m.Apply(root)
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	replace := make(map[string]string)
	for name, text := range files {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(abs, name)] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o644)
}

// Build builds a package of the module with the fault in it.
func (m *Mutant) Build(root, dir, pkg, to string) error {
	overlay, err := m.Overlay(root, dir)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-overlay", overlay, "-o", to, pkg)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s does not compile: %w\n%s", m.Path, err, out)
	}
	return nil
}
