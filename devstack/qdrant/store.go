package qdrant

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
	"github.com/colophon-dev/colophon/devstack/qdrant/log"
)

// The kinds of log records, each with the request that it holds. A number is never given a second meaning.
const (
	kindCreate           byte = 1  // CreateCollection
	kindDrop             byte = 2  // DeleteCollection
	kindAliases          byte = 3  // ChangeAliases
	kindUpsert           byte = 4  // UpsertPoints
	kindDelete           byte = 5  // DeletePoints
	kindSetPayload       byte = 6  // SetPayloadPoints
	kindOverwritePayload byte = 7  // SetPayloadPoints
	kindDeletePayload    byte = 8  // DeletePayloadPoints
	kindClearPayload     byte = 9  // ClearPayloadPoints
	kindCreateIndex      byte = 10 // CreateFieldIndexCollection
	kindDeleteIndex      byte = 11 // DeleteFieldIndexCollection
)

const (
	// compactBatch is how many points one record of a compacted log holds.
	compactBatch = 64
	// compactAbove is how many changes to points a log may hold, beyond one for each point, before it is compacted.
	compactAbove = 1000
)

// store is all collections and aliases. What is done to it is a list of requests, each a pure function of the state
// before it: the log holds the requests, and doing them again makes the same state.
type store struct {
	mu          sync.RWMutex
	log         *log.Log
	collections map[string]*collection
	aliases     map[string]string // alias → collection
	replaying   bool
	changes     int // points written or deleted by the log that was replayed
}

// openStore replays the log in dir, and writes it anew when most of it has been overtaken.
func openStore(dir string, options log.Options) (*store, error) {
	s := &store{collections: map[string]*collection{}, aliases: map[string]string{}, replaying: true}
	opened, err := log.Open(filepath.Join(dir, "log"), options, s.replay)
	if err != nil {
		return nil, err
	}
	s.log, s.replaying = opened, false
	live := 0
	for _, c := range s.collections {
		c.sorted()
		live += len(c.points)
	}
	if s.changes > 2*live+compactAbove {
		if err := s.log.Compact(s.dump); err != nil {
			_ = s.log.Close()
			return nil, err
		}
	}
	return s, nil
}

// replay does a request of the log again. What the request was answered with, also when it was an error after half of
// it was done, comes out the same and is of no interest now.
func (s *store) replay(record log.Record) error {
	var request proto.Message
	switch record.Kind {
	case kindCreate:
		request = &pb.CreateCollection{}
	case kindDrop:
		request = &pb.DeleteCollection{}
	case kindAliases:
		request = &pb.ChangeAliases{}
	case kindUpsert:
		request = &pb.UpsertPoints{}
	case kindDelete:
		request = &pb.DeletePoints{}
	case kindSetPayload, kindOverwritePayload:
		request = &pb.SetPayloadPoints{}
	case kindDeletePayload:
		request = &pb.DeletePayloadPoints{}
	case kindClearPayload:
		request = &pb.ClearPayloadPoints{}
	case kindCreateIndex:
		request = &pb.CreateFieldIndexCollection{}
	case kindDeleteIndex:
		request = &pb.DeleteFieldIndexCollection{}
	default:
		return fmt.Errorf("a log record of the unknown kind %d", record.Kind)
	}
	if err := proto.Unmarshal(record.Data, request); err != nil {
		return fmt.Errorf("log record of kind %d: %w", record.Kind, err)
	}
	if changed, err := s.apply(record.Kind, request); err != nil && !changed {
		return fmt.Errorf("log record of kind %d: %w", record.Kind, err)
	}
	return nil
}

// dump emits requests that make the present state.
func (s *store) dump(emit func(log.Record) error) error {
	write := func(kind byte, request proto.Message) error {
		data, err := proto.Marshal(request)
		if err != nil {
			return fmt.Errorf("encode a log record: %w", err)
		}
		return emit(log.Record{Kind: kind, Data: data})
	}
	for _, name := range slices.Sorted(maps.Keys(s.collections)) {
		c := s.collections[name]
		if err := write(kindCreate, c.create); err != nil {
			return err
		}
		for _, field := range slices.Sorted(maps.Keys(c.indexes)) {
			if err := write(kindCreateIndex, c.indexes[field]); err != nil {
				return err
			}
		}
		for batch := range slices.Chunk(c.sorted(), compactBatch) {
			request := &pb.UpsertPoints{CollectionName: name}
			for _, p := range batch {
				request.Points = append(request.Points, &pb.PointStruct{
					Id: p.id.Proto(), Payload: p.payload.All(), Vectors: c.storedVectors(p),
				})
			}
			if err := write(kindUpsert, request); err != nil {
				return err
			}
		}
	}
	for _, alias := range slices.Sorted(maps.Keys(s.aliases)) {
		change := &pb.ChangeAliases{Actions: []*pb.AliasOperations{pb.NewAliasCreate(alias, s.aliases[alias])}}
		if err := write(kindAliases, change); err != nil {
			return err
		}
	}
	return nil
}

// storedVectors writes a point's vectors as an upsert would bring them.
func (c *collection) storedVectors(p *point) *pb.Vectors {
	named := map[string]*pb.Vector{}
	for name, space := range c.dense {
		if space.index.Has(p.row) {
			named[name] = &pb.Vector{Vector: &pb.Vector_Dense{Dense: &pb.DenseVector{Data: space.index.Vector(p.row)}}}
		}
	}
	for name, space := range c.sparse {
		if space.index.Has(p.row) {
			vector := space.vector(p.row)
			sparse := &pb.SparseVector{Indices: vector.Indices, Values: vector.Values}
			named[name] = &pb.Vector{Vector: &pb.Vector_Sparse{Sparse: sparse}}
		}
	}
	return &pb.Vectors{VectorsOptions: &pb.Vectors_Vectors{Vectors: &pb.NamedVectors{Vectors: named}}}
}

// write does a request and logs it, and with wait returns only when it is durable. Readers may see it earlier.
func (s *store) write(kind byte, request proto.Message, wait bool) error {
	data, err := proto.Marshal(request)
	if err != nil {
		return invalid("%v", err)
	}
	s.mu.Lock()
	changed, applied := s.apply(kind, request)
	if !changed {
		s.mu.Unlock()
		return applied
	}
	position, err := s.log.Append(log.Record{Kind: kind, Data: data})
	s.mu.Unlock()
	if err == nil && wait {
		err = s.log.Wait(position)
	}
	if err != nil {
		return status.Errorf(codes.Internal, "Service internal error: %v", err)
	}
	return applied
}

// apply does a request and reports whether it changed anything, which it may also have done when it fails.
func (s *store) apply(kind byte, request proto.Message) (changed bool, err error) {
	switch r := request.(type) {
	case *pb.CreateCollection:
		err := s.createCollection(r)
		return err == nil, err
	case *pb.DeleteCollection:
		return s.dropCollection(r.GetCollectionName()), nil
	case *pb.ChangeAliases:
		return s.changeAliases(r)
	case *pb.UpsertPoints:
		return s.onCollection(r, func(c *collection) (bool, error) { return s.upsert(c, r) })
	case *pb.DeletePoints:
		return s.onCollection(r, func(c *collection) (bool, error) { return s.deletePoints(c, r) })
	case *pb.SetPayloadPoints:
		return s.onCollection(r, func(c *collection) (bool, error) { return s.setPayload(c, r, kind) })
	case *pb.DeletePayloadPoints:
		return s.onCollection(r, func(c *collection) (bool, error) { return s.deletePayload(c, r) })
	case *pb.ClearPayloadPoints:
		return s.onCollection(r, func(c *collection) (bool, error) {
			none := func(map[string]*pb.Value) map[string]*pb.Value { return nil }
			return s.changePayload(c, r.GetPoints(), none)
		})
	case *pb.CreateFieldIndexCollection:
		return s.onCollection(r, func(c *collection) (bool, error) { return createIndex(c, r) })
	case *pb.DeleteFieldIndexCollection:
		return s.onCollection(r, func(c *collection) (bool, error) { return deleteIndex(c, r) })
	default:
		return false, fmt.Errorf("no operation %T", request)
	}
}

// get returns the collection of a name or alias.
func (s *store) get(name string) (*collection, error) {
	if name == "" {
		return nil, invalid("Validation error in body: [collection_name: must be from 1 to %d characters]", nameLimit)
	}
	if target, ok := s.aliases[name]; ok {
		name = target
	}
	found, ok := s.collections[name]
	if !ok {
		return nil, noCollection(name)
	}
	return found, nil
}

func (s *store) onCollection(
	request interface{ GetCollectionName() string }, do func(*collection) (bool, error),
) (bool, error) {
	c, err := s.get(request.GetCollectionName())
	if err != nil {
		return false, err
	}
	changed, err := do(c)
	if changed {
		c.writes++
	}
	return changed, err
}

func (s *store) createCollection(request *pb.CreateCollection) error {
	name := request.GetCollectionName()
	unsafe := name == "." || name == ".." || strings.ContainsAny(name, "<>:\"/\\|?*\x00\x1f")
	if name == "" || len(name) > nameLimit || unsafe {
		return invalid("Validation error in body: [collection_name: %q cannot be the name of a collection]", name)
	}
	if _, taken := s.collections[name]; taken {
		return alreadyExists(name)
	}
	if _, taken := s.aliases[name]; taken {
		return invalid("Wrong input: Can't create collection with name %s. Alias with the same name already exists", name)
	}
	c, err := newCollection(request)
	if err != nil {
		return err
	}
	if !s.replaying {
		c.sorted()
	}
	s.collections[name] = c
	return nil
}

func alreadyExists(name string) error {
	return status.Errorf(codes.AlreadyExists, "Wrong input: Collection `%s` already exists!", name)
}

// dropCollection deletes a collection and its aliases. As in the server, an alias does not name its collection here.
func (s *store) dropCollection(name string) bool {
	if _, ok := s.collections[name]; !ok {
		return false
	}
	delete(s.collections, name)
	maps.DeleteFunc(s.aliases, func(_, target string) bool { return target == name })
	return true
}

// changeAliases does the actions in order; what came before a refused one stays done, as in the server. Readers see all
// or nothing, since the store is locked.
func (s *store) changeAliases(request *pb.ChangeAliases) (changed bool, err error) {
	for _, action := range request.GetActions() {
		switch kind := action.GetAction().(type) {
		case *pb.AliasOperations_CreateAlias:
			alias, target := kind.CreateAlias.GetAliasName(), kind.CreateAlias.GetCollectionName()
			if _, ok := s.collections[target]; !ok {
				return changed, noCollection(target)
			}
			if _, taken := s.collections[alias]; taken {
				return changed, alreadyExists(alias)
			}
			s.aliases[alias] = target
		case *pb.AliasOperations_RenameAlias:
			from, to := kind.RenameAlias.GetOldAliasName(), kind.RenameAlias.GetNewAliasName()
			target, ok := s.aliases[from]
			if !ok {
				return changed, status.Errorf(codes.NotFound, "Not found: Alias %s does not exists!", from)
			}
			delete(s.aliases, from)
			s.aliases[to] = target
		case *pb.AliasOperations_DeleteAlias:
			delete(s.aliases, kind.DeleteAlias.GetAliasName())
		default:
			return changed, invalid("Malformed AliasOperation type")
		}
		changed = true
	}
	return changed, nil
}

func (s *store) upsert(c *collection, request *pb.UpsertPoints) (bool, error) {
	if request.GetUpdateFilter() != nil || request.GetUpdateMode() != pb.UpdateMode_Upsert {
		return false, unserved("An upsert with an update filter or mode")
	}
	points, of := make([]*point, len(request.GetPoints())), make([]vectors, len(request.GetPoints()))
	for i, in := range request.GetPoints() {
		var err error
		if points[i], of[i], err = c.pointOf(in); err != nil {
			return false, err
		}
	}
	for i, p := range points {
		c.put(p, of[i])
	}
	s.changes += len(points)
	return len(points) > 0, nil
}

func (s *store) deletePoints(c *collection, request *pb.DeletePoints) (bool, error) {
	ids, err := c.selectIDs(request.GetPoints())
	if err != nil {
		return false, err
	}
	before := len(c.points)
	for _, id := range ids {
		c.remove(id)
	}
	removed := before - len(c.points)
	s.changes += removed
	return removed > 0, nil
}

func (s *store) setPayload(c *collection, request *pb.SetPayloadPoints, kind byte) (bool, error) {
	if request.Key != nil {
		return false, unserved("A payload change below a key")
	}
	return s.changePayload(c, request.GetPointsSelector(), func(old map[string]*pb.Value) map[string]*pb.Value {
		if kind == kindOverwritePayload {
			return request.GetPayload()
		}
		merged := make(map[string]*pb.Value, len(old)+len(request.GetPayload()))
		maps.Copy(merged, old)
		for key, value := range request.GetPayload() {
			if filter.IsNull(value) {
				delete(merged, key) // as in the server
			} else {
				merged[key] = value
			}
		}
		return merged
	})
}

func (s *store) deletePayload(c *collection, request *pb.DeletePayloadPoints) (bool, error) {
	paths := make([]filter.Path, len(request.GetKeys()))
	for i, key := range request.GetKeys() {
		var err error
		if paths[i], err = filter.ParsePath(key); err != nil {
			return false, refused(err)
		}
	}
	return s.changePayload(c, request.GetPointsSelector(), func(old map[string]*pb.Value) map[string]*pb.Value {
		return filter.Drop(old, paths)
	})
}

func (s *store) changePayload(
	c *collection, selector *pb.PointsSelector, change func(map[string]*pb.Value) map[string]*pb.Value,
) (bool, error) {
	ids, err := c.selectIDs(selector)
	if err != nil {
		return false, err
	}
	s.changes += len(ids)
	return len(ids) > 0, c.changePayload(ids, change)
}

// createIndex remembers that a field is indexed. Search looks at every point anyway: an index decides how a text match
// divides its texts, and which values lie in columns.
func createIndex(c *collection, request *pb.CreateFieldIndexCollection) (bool, error) {
	if request.FieldType == nil {
		return false, invalid("cannot convert field_type")
	}
	if _, err := filter.ParsePath(request.GetFieldName()); err != nil {
		return false, refused(err)
	}
	text := request.GetFieldIndexParams().GetTextIndexParams()
	if request.GetFieldType() != pb.FieldType_FieldTypeText && text != nil {
		return false, invalid("field_type and field_index_params do not match")
	}
	if request.GetFieldType() == pb.FieldType_FieldTypeText {
		if text == nil {
			text = &pb.TextIndexParams{}
		}
		if !filter.ServesText(text) {
			return false, unserved("This tokenizer, a stemmer, or stopwords")
		}
		c.texts[request.GetFieldName()] = text
	}
	c.addColumn(request.GetFieldName(), request.GetFieldType())
	c.indexes[request.GetFieldName()] = request
	return true, nil
}

func deleteIndex(c *collection, request *pb.DeleteFieldIndexCollection) (bool, error) {
	_, known := c.indexes[request.GetFieldName()]
	delete(c.indexes, request.GetFieldName())
	delete(c.texts, request.GetFieldName())
	return known, nil
}
