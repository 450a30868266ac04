//! Calls with any path and any bytes: what a generated client never sends.

use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use tonic::{
    Request, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::Channel,
};

/// Calls `path` with these bytes as the message, and gives the answer's bytes as they came.
pub async fn call(channel: &Channel, path: &str, request: Request<Bytes>) -> Result<Bytes, Status> {
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready()
        .await
        .map_err(|error| Status::unavailable(error.to_string()))?;
    let path: PathAndQuery = path.parse().unwrap();
    Ok(grpc.unary(request, path, BytesCodec).await?.into_inner())
}

/// The same call as `request`, with its message already encoded.
pub fn encoded<M: prost::Message>(request: Request<M>) -> Request<Bytes> {
    request.map(|message| Bytes::from(message.encode_to_vec()))
}

struct BytesCodec;

impl Codec for BytesCodec {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put(item);
        Ok(())
    }
}

impl Decoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}
