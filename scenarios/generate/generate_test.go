package generate

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/scenarios"
)

// Every drawn world validates, and its text is read back as the same world.
func TestDrawnWorldsAreSound(t *testing.T) {
	for _, p := range Profiles() {
		for seed := uint64(1); seed <= 60; seed++ {
			w := Generate(seed, p)
			text := w.Encode()
			back, err := scenarios.Parse(w.Name+".yaml", text)
			require.NoError(t, err, "profile %s, seed %d", p.Name, seed)
			require.True(t, bytes.Equal(text, back.Encode()), "profile %s, seed %d is read back otherwise", p.Name, seed)
			require.NoError(t, w.Validate())
		}
	}
}

// Equal seeds give equal worlds, whatever was drawn before (I-9).
func TestSeedAloneIsEnough(t *testing.T) {
	for _, p := range Profiles() {
		for seed := uint64(1); seed <= 50; seed++ {
			require.True(t, bytes.Equal(Generate(seed, p).Encode(), Generate(seed, p).Encode()), "profile %s, seed %d", p.Name, seed)
		}
		require.NotEqual(t, Generate(1, p).Encode(), Generate(2, p).Encode())
	}
}

// Each feature shows in some worlds and is banned in others.
func TestFeaturesComeAndGo(t *testing.T) {
	var banned, allowed Features
	for seed := uint64(1); seed <= 200; seed++ {
		b := Generate(seed, Profiles()[0]).Banned
		banned |= b
		allowed |= All &^ b
	}
	require.Equal(t, All, banned, "never banned: %v", All&^banned)
	require.Equal(t, All, allowed, "never allowed: %v", All&^allowed)
	require.Equal(t, "none", Features(0).String())
	for f := Feature(0); f < NumFeatures; f++ {
		require.NotEmpty(t, f.String())
	}
}

// A profile that is not known is named, with those that are.
func TestUnknownProfile(t *testing.T) {
	_, err := Named("tiny")
	require.ErrorContains(t, err, `profile is "tiny", must be one of default, small, push`)
	p, err := Named("small")
	require.NoError(t, err)
	require.Equal(t, "small", p.Name)
}
