import { createHash } from "node:crypto";
import type { Database } from "@lango/postgres";
import { canonicalJson } from "../messages/canonical-json.ts";
import { compileTemplate, type TemplateSource } from "../rendering/compile-template.ts";
import { layoutSource } from "../rendering/layout.ts";
import { openMjml } from "../rendering/mjml.ts";
import { listPublishedDigests, publishPlatformTemplate } from "./catalogue.store.ts";
import { catalogue } from "./catalogue.ts";

/**
 * These texts are ours: they need no narrow limit, and a slow machine must not keep the service from
 * starting.
 */
const compile = openMjml({ timeoutMs: 120_000 });

/**
 * Publishes the platform's templates that differ from those in force. Runs at each start, in every process:
 * the first one publishes. Templates whose source and layout did not change are not compiled.
 */
export async function seedCatalogue(db: Database, now: Date): Promise<void> {
	const published = await listPublishedDigests(db);
	for (const source of catalogue) {
		const digest = digestOf(source);
		if (published.get(source.path) === digest.toString("hex")) continue;
		const template = await compileTemplate(source, compile);
		await publishPlatformTemplate(db, { template, samples: source.samples, digest }, now);
	}
}

/** Differs when the catalogue or its layout does. */
export const catalogueVersion = (): string =>
	createHash("sha256")
		.update(Buffer.concat(catalogue.map(digestOf)))
		.digest("hex");

const digestOf = (source: TemplateSource): Buffer =>
	createHash("sha256")
		.update(canonicalJson({ source, layout: layoutSource }))
		.digest();
