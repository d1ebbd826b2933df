import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ClientError } from "@lango/client";
import { expect, test } from "vitest";
import type { Platform } from "../../platform.ts";
import { redriveAll, servicesOf, withoutJobs } from "./failure.queries.ts";

const hospital = { name: "hospital", url: "http://hospital.example" };
const letters = { service: hospital, kind: "dead-letters" } as const;
const base = "http://hospital.example/api/v1/platform/dead-letters";

/** A platform whose hospital has these dead letters, in pages of two, and refuses some of them. */
function platformWith(ids: readonly string[], refusals: Readonly<Record<string, ClientError>> = {}) {
	const pages: string[] = [];
	const call = async (
		address: string,
		{ method = "GET", query }: { method?: string; query?: object } = {},
	) => {
		if (method === "GET") {
			const from = Number((query as { cursor?: string }).cursor ?? 0);
			const more = from + 2 < ids.length ? String(from + 2) : null;
			return { items: ids.slice(from, from + 2).map((id) => ({ id })), next_cursor: more };
		}
		pages.push(address);
		const refusal = refusals[address.slice(base.length + 1).replace("/redrive", "")];
		if (refusal !== undefined) throw refusal;
		return { redriven: true };
	};
	return { platform: { client: { call } } as unknown as Platform, pages };
}

test("all failures are retried in order, and the progress is reported", async () => {
	const { platform, pages } = platformWith(["1", "2", "3"]);
	const progress: string[] = [];
	const count = await redriveAll(platform, letters, (done, all) => progress.push(`${done} of ${all}`));
	expect(pages).toEqual(["1", "2", "3"].map((id) => `${base}/${id}/redrive`));
	expect(progress).toEqual(["0 of 3", "1 of 3", "2 of 3"]);
	expect(count).toBe(3);
});

test("a failure that was retried or discarded in the meantime is skipped", async () => {
	const gone = new ClientError("not_found", { status: 404 });
	const { platform, pages } = platformWith(["1", "2"], { "1": gone });
	await redriveAll(platform, letters, () => undefined);
	expect(pages).toHaveLength(2);
});

test("an error of the service stops it, and earlier retries are kept", async () => {
	const unavailable = new ClientError("internal", { status: 500 });
	const { platform, pages } = platformWith(["1", "2", "3"], { "2": unavailable });
	await expect(redriveAll(platform, letters, () => undefined)).rejects.toBe(unavailable);
	expect(pages).toHaveLength(2);
});

test("the services are auth, subscriptions and those of the installation", () => {
	const settings = {
		authUrl: "http://auth",
		accountsUrl: "http://accounts",
		subscriptionsUrl: "http://subscriptions",
		services: { hospital: hospital.url },
		language: undefined,
	};
	const { platform } = platformWith([]);
	expect(servicesOf({ ...platform, settings }).map(({ name }) => name)).toEqual([
		"auth",
		"subscriptions",
		"hospital",
	]);
});

test("the services without jobs are those whose routes have no failed jobs", () => {
	const root = resolve(import.meta.dirname, "../../../../../services");
	const routesOf = (service: string) => resolve(root, service, "test/access.txt");
	const found = readdirSync(root)
		.filter((service) => existsSync(routesOf(service)))
		.filter((service) => !readFileSync(routesOf(service), "utf8").includes("/platform/dead-jobs"));
	expect([...withoutJobs]).toEqual(found.toSorted());
});
