import type { Database } from "@lango/postgres";
import { findClient } from "../../clients/client.store.ts";
import type { Client } from "../../clients/client.ts";
import { oauthFailures } from "../../failures.ts";
import { type Parameters, requiredParameter } from "../request.ts";

/** RFC 6749 §4.1.1: the client is named and known. */
export async function checkClient(db: Database, parameters: Parameters): Promise<Client> {
	const client = await findClient(db, requiredParameter(parameters, "client_id"));
	if (client === undefined)
		throw oauthFailures.invalid_request({ message: "client_id names no registered client." });
	return client;
}
