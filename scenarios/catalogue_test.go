package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCatalogueRoundTrips(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), 30)
	for _, s := range all {
		again, err := Parse(s.Name, s.Encode())
		require.NoError(t, err, "%s", s.Encode())
		s.raw = nil
		require.Equal(t, s, again)
	}
}

func TestCatalogue(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			res, err := s.Run(Options{})
			require.NoError(t, err)
			for _, v := range res.Violations {
				t.Errorf("%s at %v, step %d: %s", v.ID, v.At, v.Step, v.Text)
			}
			again, err := s.Run(Options{})
			require.NoError(t, err)
			require.Equal(t, res.Hash, again.Hash, "I-9: the second run went another way")
			require.Equal(t, res.Steps, again.Steps)
		})
	}
}
