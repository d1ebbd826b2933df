/**
 * `node tools/first-owner.ts --email E --name N [--tenant-name T] < password`: creates the platform owner's
 * tenant (`LANGO_PLATFORM_OWNER_SLUG`) and its first superuser, once per platform. The password is the first
 * line of standard input, so that it is not visible in a list of processes. Uses the database of
 * `AUTH_DATABASE_URL`, otherwise that of `npm start`.
 */
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { foundPlatform } from "../services/auth/src/service.ts";
import { onServiceDatabase } from "./up/service-database.ts";

await onServiceDatabase("auth", async (db) => {
	const { email, name, "tenant-name": tenantName = "Lango" } = readWords();
	if (email === undefined || name === undefined)
		throw new Error("Usage: node tools/first-owner.ts --email E --name N [--tenant-name T] < password");
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
