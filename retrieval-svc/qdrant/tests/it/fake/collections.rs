//! Calls about collections, aliases and the server itself.

use qdrant_client::qdrant::{
    AliasDescription, ChangeAliases, CollectionClusterInfoRequest, CollectionClusterInfoResponse,
    CollectionConfig, CollectionExistsRequest, CollectionExistsResponse, CollectionInfo,
    CollectionOperationResponse, CollectionParams, CreateCollection, CreateShardKeyRequest,
    CreateShardKeyResponse, DeleteCollection, DeleteShardKeyRequest, DeleteShardKeyResponse,
    GetCollectionInfoRequest, GetCollectionInfoResponse, HealthCheckReply, HealthCheckRequest,
    ListAliasesRequest, ListAliasesResponse, ListCollectionAliasesRequest, ListCollectionsRequest,
    ListCollectionsResponse, ListShardKeysRequest, ListShardKeysResponse, UpdateCollection,
    UpdateCollectionClusterSetupRequest, UpdateCollectionClusterSetupResponse,
    alias_operations::Action, collections_server::Collections, qdrant_server::Qdrant,
};
use tonic::{Request, Response, Status};

use super::{Answer, State, refused, store::Collection};

fn done() -> Answer<CollectionOperationResponse> {
    Ok(Response::new(CollectionOperationResponse {
        result: true,
        time: 0.0,
    }))
}

#[tonic::async_trait]
impl Qdrant for State {
    async fn health_check(&self, _: Request<HealthCheckRequest>) -> Answer<HealthCheckReply> {
        Ok(Response::new(HealthCheckReply {
            version: "1.20.0".to_owned(),
            ..HealthCheckReply::default()
        }))
    }
}

#[tonic::async_trait]
impl Collections for State {
    async fn get(
        &self,
        request: Request<GetCollectionInfoRequest>,
    ) -> Answer<GetCollectionInfoResponse> {
        let name = request.into_inner().collection_name;
        self.note("info", &name).await?;
        let mut data = self.data();
        let params = data.collection(&name)?.params.clone();
        Ok(Response::new(GetCollectionInfoResponse {
            result: Some(CollectionInfo {
                config: Some(CollectionConfig {
                    params: Some(params),
                    ..CollectionConfig::default()
                }),
                ..CollectionInfo::default()
            }),
            time: 0.0,
        }))
    }

    async fn create(
        &self,
        request: Request<CreateCollection>,
    ) -> Answer<CollectionOperationResponse> {
        let request = request.into_inner();
        self.note("create", &request.collection_name).await?;
        let CreateCollection {
            collection_name: name,
            hnsw_config,
            vectors_config,
            sparse_vectors_config,
            ..
        } = request.clone();
        let known = CreateCollection {
            collection_name: name.clone(),
            hnsw_config,
            vectors_config: vectors_config.clone(),
            sparse_vectors_config: sparse_vectors_config.clone(),
            ..CreateCollection::default()
        };
        if known != request {
            return Err(refused("an option of a collection"));
        }
        if hnsw_config.is_some_and(|h| (h.m, h.payload_m) != (Some(0), Some(0))) {
            return Err(refused("a graph"));
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !(1..=255).contains(&name.len()) || !name.chars().all(fits) {
            return Err(refused(format!("name {name}")));
        }
        let mut data = self.data();
        if data.collections.contains_key(&name) || data.aliases.contains_key(&name) {
            let message = format!("Wrong input: Collection `{name}` already exists!");
            return Err(Status::already_exists(message));
        }
        let collection = Collection {
            params: CollectionParams {
                shard_number: 1,
                vectors_config,
                sparse_vectors_config,
                ..CollectionParams::default()
            },
            indexes: Default::default(),
            points: Default::default(),
        };
        data.collections.insert(name, collection);
        drop(data);
        done()
    }

    async fn delete(
        &self,
        request: Request<DeleteCollection>,
    ) -> Answer<CollectionOperationResponse> {
        let name = request.into_inner().collection_name;
        let mut data = self.data();
        data.collections.remove(&name);
        data.aliases.retain(|_, collection| *collection != name);
        drop(data);
        done()
    }

    async fn update_aliases(
        &self,
        request: Request<ChangeAliases>,
    ) -> Answer<CollectionOperationResponse> {
        let request = request.into_inner();
        self.note("aliases", &request.actions.len().to_string())
            .await?;
        let mut data = self.data();
        let mut aliases = data.aliases.clone();
        for action in request.actions {
            let Some(Action::CreateAlias(create)) = action.action else {
                return Err(refused(format!("alias action {:?}", action.action)));
            };
            if !data.collections.contains_key(&create.collection_name)
                || data.collections.contains_key(&create.alias_name)
            {
                return Err(refused(format!("alias {create:?}")));
            }
            aliases.insert(create.alias_name, create.collection_name);
        }
        data.aliases = aliases;
        drop(data);
        done()
    }

    async fn list_aliases(&self, _: Request<ListAliasesRequest>) -> Answer<ListAliasesResponse> {
        self.note("list aliases", "").await?;
        let data = self.data();
        let aliases = data
            .aliases
            .iter()
            .map(|(alias, collection)| AliasDescription {
                alias_name: alias.clone(),
                collection_name: collection.clone(),
            });
        Ok(Response::new(ListAliasesResponse {
            aliases: aliases.collect(),
            time: 0.0,
        }))
    }

    async fn list(&self, _: Request<ListCollectionsRequest>) -> Answer<ListCollectionsResponse> {
        Err(refused("list"))
    }

    async fn update(&self, _: Request<UpdateCollection>) -> Answer<CollectionOperationResponse> {
        Err(refused("update"))
    }

    async fn list_collection_aliases(
        &self,
        _: Request<ListCollectionAliasesRequest>,
    ) -> Answer<ListAliasesResponse> {
        Err(refused("list_collection_aliases"))
    }

    async fn collection_cluster_info(
        &self,
        _: Request<CollectionClusterInfoRequest>,
    ) -> Answer<CollectionClusterInfoResponse> {
        Err(refused("collection_cluster_info"))
    }

    async fn collection_exists(
        &self,
        _: Request<CollectionExistsRequest>,
    ) -> Answer<CollectionExistsResponse> {
        Err(refused("collection_exists"))
    }

    async fn update_collection_cluster_setup(
        &self,
        _: Request<UpdateCollectionClusterSetupRequest>,
    ) -> Answer<UpdateCollectionClusterSetupResponse> {
        Err(refused("update_collection_cluster_setup"))
    }

    async fn create_shard_key(
        &self,
        _: Request<CreateShardKeyRequest>,
    ) -> Answer<CreateShardKeyResponse> {
        Err(refused("create_shard_key"))
    }

    async fn delete_shard_key(
        &self,
        _: Request<DeleteShardKeyRequest>,
    ) -> Answer<DeleteShardKeyResponse> {
        Err(refused("delete_shard_key"))
    }

    async fn list_shard_keys(
        &self,
        _: Request<ListShardKeysRequest>,
    ) -> Answer<ListShardKeysResponse> {
        Err(refused("list_shard_keys"))
    }
}
