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
import { openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeEach(async () => {
	scene = await openScene();
});
afterEach(() => scene.close());

/** Shows everything the hooks know. */
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

function shown(client: ReturnType<Scene["client"]>): unknown {
	const html = renderToString(createElement(ClientProvider, { client }, createElement(Page)));
	return JSON.parse(html.replace(/<\/?pre>/g, "").replaceAll("&quot;", '"'));
}

test("the hooks tell who is in, what they may do and where they go, before and after", async () => {
	const client = scene.client();
	expect(shown(client)).toEqual({
		...{ status: "signed_out", name: null, maySee: false, mayManage: false },
		go: "sign_in",
	});
	await client.start();
	expect(shown(client)).toEqual({ status: "ready", name: "Neema", maySee: true, mayManage: false, go: "on" });
});

test("the state is one object until it changes, as React asks of a store", async () => {
	const client = scene.client();
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

function Lost() {
	useClient();
	return null;
}

test("a hook outside a provider says what is missing", () => {
	expect(() => renderToString(createElement(Lost))).toThrow("needs a ClientProvider");
});
