import type { KnownDevices } from "../../secrets/known-device.ts";
import type { IssuerCookie } from "./cookie.ts";

type Exchange = {
	request: Parameters<IssuerCookie["read"]>[0];
	reply: Parameters<IssuerCookie["write"]>[0];
	emailFolded: string;
};

/**
 * Marks the browser as a known device of an account, after its owner proved the address or the password.
 * Failed sign-ins elsewhere do not lock out a known device, so a link by mail also ends a lockout.
 */
export function rememberDevice(
	{ deviceCookie, knownDevices }: { deviceCookie: IssuerCookie; knownDevices: KnownDevices },
	{ request, reply, emailFolded }: Exchange,
): void {
	deviceCookie.write(reply, knownDevices.remember(deviceCookie.read(request), emailFolded));
}
