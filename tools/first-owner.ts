/**
 * `node tools/first-owner.ts --email E --name N [--tenant-name T] < password`: the tenant that owns the platform
 * (`LANGO_PLATFORM_OWNER_SLUG`) and its first superuser, once in a platform's life. The password is the first line of standard
 * input, so that it stands in no list of processes. The database is the one of `AUTH_DATABASE_URL`, else that of `npm start`.
 */
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { foundPlatform } from "../services/auth/src/service.ts";
import { onServiceDatabase } from "./up/service-database.ts";

await onServiceDatabase("auth", async (db) => {
	const { email, name, "tenant-name": tenantName = "Lango" } = readWords();
	if (email === undefined || name === undefined)
		throw new Error("Say who: node tools/first-owner.ts --email E --name N [--tenant-name T] < password");
	const password = await readLine();
	const slug = process.env["LANGO_PLATFORM_OWNER_SLUG"] || "lango";
	const { tenantId, userId } = await foundPlatform(db, {
		slug,
		tenantName,
		email,
		name,
		password,
		now: new Date(),
	});
	console.log(`The tenant ${slug} (${tenantId}) has its first superuser, ${email} (${userId}).`);
});
process.exit();

function readWords() {
	const option = { type: "string" } as const;
	return parseArgs({ options: { email: option, name: option, "tenant-name": option } }).values;
}

async function readLine(): Promise<string> {
	if (process.stdin.isTTY) console.log("The password, and Enter:");
	for await (const line of createInterface({ input: process.stdin })) return line;
	throw new Error("There is no password on standard input.");
}
