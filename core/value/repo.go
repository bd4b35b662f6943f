package value

// Coordinate names a repository: the owner of an announcement and its identifier.
type Coordinate struct {
	Owner      PubKey
	Identifier Handle
	Repo       Handle // handle of "<owner hex>/<identifier>": names the repository in effects
}

// Ref is a branch or tag of a state, or a ref of a repository.
type Ref struct {
	Name     Handle // full ref name, as refs/heads/main
	OID      OID    // for a symbolic ref: what it resolves to within the state (ST-03)
	Symbolic bool   // the value was "ref: …": needed by nobody (N-01)
}
