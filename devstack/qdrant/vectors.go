package qdrant

import (
	pb "github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
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
func vectorsOut(p *point, selector *pb.WithVectorsSelector) *pb.VectorsOutput {
	wanted := func(string) bool { return selector.GetEnable() }
	if include := selector.GetInclude(); include != nil {
		names := map[string]bool{}
		for _, name := range include.GetNames() {
			names[name] = true
		}
		wanted = func(name string) bool { return names[name] }
	}
	named := map[string]*pb.VectorOutput{}
	for name, vector := range p.dense {
		if wanted(name) {
			dense := &pb.DenseVector{Data: vector.values()}
			named[name] = &pb.VectorOutput{Vector: &pb.VectorOutput_Dense{Dense: dense}}
		}
	}
	for name, vector := range p.sparse {
		if wanted(name) {
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

// payloadSelector makes of a selector the function that cuts a payload down to what was asked for.
func payloadSelector(
	selector *pb.WithPayloadSelector, byDefault bool,
) (func(map[string]*pb.Value) map[string]*pb.Value, error) {
	parse := func(fields []string) ([]filter.Path, error) {
		paths := make([]filter.Path, len(fields))
		for i, field := range fields {
			var err error
			if paths[i], err = filter.ParsePath(field); err != nil {
				return nil, refused(err)
			}
		}
		return paths, nil
	}
	switch kind := selector.GetSelectorOptions().(type) {
	case *pb.WithPayloadSelector_Include:
		paths, err := parse(kind.Include.GetFields())
		return func(payload map[string]*pb.Value) map[string]*pb.Value { return filter.Pick(payload, paths) }, err
	case *pb.WithPayloadSelector_Exclude:
		paths, err := parse(kind.Exclude.GetFields())
		return func(payload map[string]*pb.Value) map[string]*pb.Value { return filter.Drop(payload, paths) }, err
	case *pb.WithPayloadSelector_Enable:
		byDefault = kind.Enable
	}
	return func(payload map[string]*pb.Value) map[string]*pb.Value {
		if byDefault {
			return payload
		}
		return nil
	}, nil
}

// pointOut writes a point as Get and Scroll answer it.
func pointOut(
	p *point, payload func(map[string]*pb.Value) map[string]*pb.Value, vectors *pb.WithVectorsSelector,
) *pb.RetrievedPoint {
	return &pb.RetrievedPoint{Id: p.id.Proto(), Payload: payload(p.payload), Vectors: vectorsOut(p, vectors)}
}
