import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { mintRequestId } from "../request/request-id.ts";

/**
 * Responses for requests that Node refuses before parsing, by error code. Any other error is a malformed
 * request.
 */
const refusals: Readonly<Record<string, readonly [status: number, code: string, error: string]>> = {
	HPE_HEADER_OVERFLOW: [431, "headers_too_large", "The request's headers are too large."],
	ERR_HTTP_REQUEST_TIMEOUT: [408, "request_timeout", "The request took too long to arrive."],
};
const unreadable = [400, "malformed_request", "The request is not HTTP as it should be."] as const;

/** Answers a request that cannot be parsed, in the common error form, and closes the connection. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
	if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return void socket.destroy();
	const [status, code, message] = refusals[error.code ?? ""] ?? unreadable;
	const requestId = mintRequestId();
	const body = JSON.stringify({ error: message, code, request_id: requestId });
	const headers = [
		`HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
		"content-type: application/json",
		`content-length: ${Buffer.byteLength(body)}`,
		`x-request-id: ${requestId}`,
		"x-content-type-options: nosniff",
		"connection: close",
	];
	socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}
