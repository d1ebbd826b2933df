/**
 * `node tools/make-secrets.ts --domain D [--as env|kubernetes] [--database HOST:PORT]`: prints new random
 * secrets for a deployment, as the file deploy/.env for compose.yaml, or as the Secret of the Helm chart with
 * addresses at `--database` (default: postgres:5432). Nothing is stored.
 */
import { parseArgs } from "node:util";
import { secretsForCompose, secretsForKubernetes } from "./up/deployment-secrets.ts";
import { parts } from "./up.ts";

const option = { type: "string" } as const;
const services = parts.services.map(({ service }) => service);
try {
	const { values } = parseArgs({ options: { domain: option, as: option, database: option } });
	const { domain = "", as = "env", database = "postgres:5432" } = values;
	if (as === "env") {
		if (!/^[a-z0-9.-]+$/.test(domain))
			throw new Error("--domain must be a domain, for example --domain lango.example.com");
		for (const [name, value] of Object.entries(secretsForCompose(services, domain)))
			console.log(`${name}=${value}`);
	} else if (as === "kubernetes") {
		const stringData = secretsForKubernetes(services, database);
		// JSON is valid YAML, so kubectl accepts it.
		console.log(
			JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "lango" }, stringData }, null, 2),
		);
	} else throw new Error("--as must be env or kubernetes.");
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
