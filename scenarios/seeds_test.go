package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Other seeds draw other noise and other orders of equal instants; what must happen stays.
func TestCatalogueUnderOtherSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("six runs of everything")
	}
	all, err := Catalogue()
	require.NoError(t, err)
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			for seed := uint64(2); seed <= 7; seed++ {
				res, err := s.Run(Options{Seed: seed})
				require.NoError(t, err)
				for _, v := range res.Violations {
					t.Errorf("seed %d: %s at %v, step %d: %s", seed, v.ID, v.At, v.Step, v.Text)
				}
			}
		})
	}
}
