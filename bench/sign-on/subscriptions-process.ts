/** Stands in for the subscription service, which the sign-on service asks about a tenant it has not asked about for a minute: no tenant has a record. */
import { createServer } from "node:http";

const answer = JSON.stringify({ error: "There is no subscription.", code: "no_subscription" });
const server = createServer((request, response) => {
	response.writeHead(request.url === "/healthz" ? 200 : 404, { "content-type": "application/json" });
	response.end(answer);
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env["PORT"]), "localhost");
process.on("SIGTERM", () => process.exit(0));
