import { createTransport } from "nodemailer";
import { expect, test, vi } from "vitest";
import { openSmtpPool } from "../../src/providers/connections/smtp-pool.ts";

vi.mock("nodemailer", async (original) => {
	const real = await original<typeof import("nodemailer")>();
	return { ...real, createTransport: vi.fn(real.createTransport) };
});

test("the transport of mails neither reads files nor fetches addresses (§12)", () => {
	const server = {
		owner: "platform",
		host: "127.0.0.1",
		port: 1,
		isSecure: false,
		isEncrypted: false,
	} as const;
	openSmtpPool({ ...server, connectionsMax: 1 }).close();
	expect(createTransport).toHaveBeenCalledExactlyOnceWith(
		expect.objectContaining({ disableFileAccess: true, disableUrlAccess: true }),
	);
});
