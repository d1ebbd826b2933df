import { expect, test } from "vitest";
import { isPublicAddress, type MailHost, resolveMailHost } from "./host-policy.ts";

test.each([
	...["127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"],
	...["224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "::", "::1", "fe80::1"],
	...["fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1"],
	...["64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001::7f00:1", "fec0::1", "mail.example"],
	...["2001:db8::1", "100::1", "5f00::1"],
])("%s is not a public address", (address) => {
	expect(isPublicAddress(address)).toBe(false);
});

test.each(["8.8.8.8", "41.90.64.1", "2a00:1450:4009:81f::200e", "::ffff:8.8.8.8"])(
	"%s is public",
	(address) => {
		expect(isPublicAddress(address)).toBe(true);
	},
);

const mailHost: MailHost = { host: "mail.example", port: 587, isEncrypted: true, owner: "tenant" };
const to =
	(...addresses: string[]) =>
	async () =>
		addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

test("a tenant's host is resolved once, and all of its addresses are returned", async () => {
	let count = 0;
	const resolve = async () => {
		count += 1;
		return to("8.8.8.8", "2a00:1450:4009:81f::200e")();
	};
	expect((await resolveMailHost(mailHost, resolve)).map(({ address }) => address)).toEqual([
		...["8.8.8.8", "2a00:1450:4009:81f::200e"],
	]);
	expect(count).toBe(1);
});

test("one private address among several is refused", async () => {
	await expect(resolveMailHost(mailHost, to("8.8.8.8", "10.0.0.1"))).rejects.toMatchObject({
		code: "address_forbidden",
	});
});

test("the platform's host may have any port and a private address", async () => {
	const host: MailHost = { ...mailHost, owner: "platform", port: 25, isEncrypted: false };
	expect(await resolveMailHost(host, to("10.0.0.1"))).toEqual([{ address: "10.0.0.1", family: 4 }]);
});
