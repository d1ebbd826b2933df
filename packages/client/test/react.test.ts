import {
	ClientProvider,
	useClient,
	useClientState,
	useMayDo,
	useProfile,
	useVerdict,
} from "@lango/client/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

/** Renders the results of all hooks. */
function Page() {
	const known = {
		status: useClientState().status,
		name: useProfile()?.name ?? null,
		maySee: useMayDo("catalog:view"),
		mayManage: useMayDo("catalog:manage"),
		go: useVerdict({ tenant: "uhai" }).go,
	};
	return createElement("pre", {}, JSON.stringify(known));
}

function shown(client: ReturnType<TestServer["client"]>): unknown {
	const html = renderToString(createElement(ClientProvider, { client }, createElement(Page)));
	return JSON.parse(html.replace(/<\/?pre>/g, "").replaceAll("&quot;", '"'));
}

test("the hooks return the state, profile, permissions and verdict before and after the start", async () => {
	const client = server.client();
	expect(shown(client)).toEqual({
		...{ status: "signed_out", name: null, maySee: false, mayManage: false },
		go: "sign_in",
	});
	await client.start();
	expect(shown(client)).toEqual({ status: "ready", name: "Neema", maySee: true, mayManage: false, go: "on" });
});

test("the state is the same object until it changes, as React requires of a store", async () => {
	const client = server.client();
	expect(client.getState()).toBe(client.getState());
	let changes = 0;
	const end = client.subscribe(() => {
		changes += 1;
	});
	await client.start();
	expect(changes).toBe(3);
	end();
	await client.signOut();
	expect(changes).toBe(3);
});

function WithoutProvider() {
	useClient();
	return null;
}

test("a hook outside a provider throws an error that names the provider", () => {
	expect(() => renderToString(createElement(WithoutProvider))).toThrow("needs a ClientProvider");
});
