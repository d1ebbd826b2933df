import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Forwards requests to a gateway, and remembers their paths. Both break off the same. */
type Counted = {
	url: string;
	paths: string[] /** Of those that may change something. */;
	posts: string[];
	close(): Promise<unknown>;
};

/** Starts a server that forwards everything to `target`. */
export async function countRequests(target: string): Promise<Counted> {
	const [paths, posts]: [string[], string[]] = [[], []];
	const server = createServer(async (request, response) => {
		const { method = "GET", url = "/" } = request;
		paths.push(url);
		if (method === "POST") posts.push(url);
		const body = await buffer(request);
		const { authorization = "", "content-type": type = "application/json" } = request.headers;
		const answer = await fetch(`${target}${url}`, {
			...{ method, headers: { authorization, "content-type": type } },
			...(body.length > 0 && { body }),
		}).catch(() => undefined);
		if (answer === undefined) {
			response.destroy();
			return;
		}
		response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? type });
		response.end(await answer.text());
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const close = async () => {
		server.close();
		server.closeAllConnections();
		await once(server, "close");
	};
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, posts, close };
}
