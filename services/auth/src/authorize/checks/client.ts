import type { Client } from "../../clients/client.ts";
import type { ClientDirectory } from "../../clients/client-directory.ts";
import { oauthFailures } from "../../failures.ts";
import { type Parameters, requiredParameter } from "../request.ts";

/** RFC 6749 §4.1.1: the client is named and known. */
export async function checkClient(clients: ClientDirectory, parameters: Parameters): Promise<Client> {
	const client = await clients.find(requiredParameter(parameters, "client_id"));
	if (client === undefined)
		throw oauthFailures.invalid_request({ message: "client_id names no registered client." });
	return client;
}
