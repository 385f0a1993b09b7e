package qdrant

import (
	"slices"

	pb "github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
	"github.com/colophon-dev/colophon/devstack/qdrant/payload"
	"github.com/colophon-dev/colophon/devstack/qdrant/score"
)

// vectorOf reads a vector to be stored, in its present form (dense, sparse) or the older one (data, indices). One of
// the two results is set.
func vectorOf(in *pb.Vector) ([]float32, *score.Sparse, error) {
	switch kind := in.GetVector().(type) {
	case *pb.Vector_Dense:
		return kind.Dense.GetData(), nil, nil
	case *pb.Vector_Sparse:
		sparse, err := sparseOf(kind.Sparse.GetIndices(), kind.Sparse.GetValues())
		return nil, sparse, err
	case nil:
	default:
		return nil, nil, unserved("A vector that is neither dense nor sparse")
	}
	//nolint:staticcheck // clients before 1.16 send the older form
	data, indices, count := in.GetData(), in.GetIndices(), in.VectorsCount
	if count != nil {
		return nil, nil, unserved("A multivector")
	}
	if indices != nil {
		sparse, err := sparseOf(indices.GetData(), data)
		return nil, sparse, err
	}
	return data, nil, nil
}

func sparseOf(indices []uint32, values []float32) (*score.Sparse, error) {
	if len(indices) != len(values) {
		return nil, invalid("Validation error in body: sparse values: must be the same length as indices")
	}
	sparse := score.NewSparse(indices, values)
	for i := 1; i < len(sparse.Indices); i++ {
		if sparse.Indices[i] == sparse.Indices[i-1] {
			return nil, invalid("Validation error in body: sparse indices: must be unique")
		}
	}
	return &sparse, nil
}

// checkNames refuses a selector that asks for vectors which the collection does not have.
func (c *collection) checkNames(selector *pb.WithVectorsSelector) error {
	for _, name := range selector.GetInclude().GetNames() {
		_, dense := c.dense[name]
		_, sparse := c.sparse[name]
		if !dense && !sparse {
			return invalid("Wrong input: Not existing vector name error: %s", name)
		}
	}
	return nil
}

// vectorsOut writes the vectors of a point as far as the selector asks for them.
func (c *collection) vectorsOut(p *point, selector *pb.WithVectorsSelector) *pb.VectorsOutput {
	wanted := func(string) bool { return selector.GetEnable() }
	if include := selector.GetInclude(); include != nil {
		names := map[string]bool{}
		for _, name := range include.GetNames() {
			names[name] = true
		}
		wanted = func(name string) bool { return names[name] }
	}
	named := map[string]*pb.VectorOutput{}
	for name, space := range c.dense {
		if wanted(name) && space.index.Has(p.row) {
			dense := &pb.DenseVector{Data: space.index.Vector(p.row)}
			named[name] = &pb.VectorOutput{Vector: &pb.VectorOutput_Dense{Dense: dense}}
		}
	}
	for name, space := range c.sparse {
		if wanted(name) && space.index.Has(p.row) {
			vector := space.vector(p.row)
			sparse := &pb.SparseVector{Indices: vector.Indices, Values: vector.Values}
			named[name] = &pb.VectorOutput{Vector: &pb.VectorOutput_Sparse{Sparse: sparse}}
		}
	}
	if selector == nil || len(named) == 0 && !selector.GetEnable() && selector.GetInclude() == nil {
		return nil
	}
	if single, ok := named[""]; ok && len(named) == 1 {
		return &pb.VectorsOutput{VectorsOptions: &pb.VectorsOutput_Vector{Vector: single}}
	}
	return &pb.VectorsOutput{VectorsOptions: &pb.VectorsOutput_Vectors{
		Vectors: &pb.NamedVectorsOutput{Vectors: named},
	}}
}

// payloadReader reads of a payload what was asked for.
type payloadReader func(payload.Packed) map[string]*pb.Value

// payloadSelector makes of a selector what reads a payload.
func payloadSelector(selector *pb.WithPayloadSelector, byDefault bool) (payloadReader, error) {
	parse := func(fields []string) (paths []filter.Path, first []string, err error) {
		for _, field := range fields {
			path, err := filter.ParsePath(field)
			if err != nil {
				return nil, nil, refused(err)
			}
			paths = append(paths, path)
			if !slices.Contains(first, path.Field()) {
				first = append(first, path.Field())
			}
		}
		return paths, first, nil
	}
	switch kind := selector.GetSelectorOptions().(type) {
	case *pb.WithPayloadSelector_Include:
		paths, first, err := parse(kind.Include.GetFields())
		return func(p payload.Packed) map[string]*pb.Value { return filter.Pick(p.Some(first), paths) }, err
	case *pb.WithPayloadSelector_Exclude:
		paths, _, err := parse(kind.Exclude.GetFields())
		return func(p payload.Packed) map[string]*pb.Value { return filter.Drop(p.All(), paths) }, err
	case *pb.WithPayloadSelector_Enable:
		byDefault = kind.Enable
	}
	return func(p payload.Packed) map[string]*pb.Value {
		if byDefault {
			return p.All()
		}
		return nil
	}, nil
}

// pointOut writes a point as Get and Scroll answer it.
func (c *collection) pointOut(p *point, read payloadReader, vectors *pb.WithVectorsSelector) *pb.RetrievedPoint {
	return &pb.RetrievedPoint{Id: p.id.Proto(), Payload: read(p.payload), Vectors: c.vectorsOut(p, vectors)}
}
