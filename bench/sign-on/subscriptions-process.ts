/**
 * A test double of the subscription service. The sign-on service requests a tenant at most once a minute; no
 * tenant has a subscription.
 */
import { createServer } from "node:http";

const answer = JSON.stringify({ error: "There is no subscription.", code: "no_subscription" });
const server = createServer((request, response) => {
	response.writeHead(request.url === "/healthz" ? 200 : 404, { "content-type": "application/json" });
	response.end(answer);
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env["PORT"]), "localhost");
process.on("SIGTERM", () => process.exit(0));
