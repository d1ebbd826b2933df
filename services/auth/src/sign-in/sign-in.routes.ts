import { open, type Route, route } from "@lango/chassis";
import { Email, FailureBody, Shape } from "@lango/contracts";
import Type from "typebox";
import type { Dependencies } from "../dependencies.ts";
import { rolesOf } from "../memberships/membership-state.ts";
import { passwordLengthMax } from "../passwords/password-rule.ts";
import { requireOrigin } from "../sessions/browser/require-origin.ts";
import { TokenResponse } from "../token/token.routes.ts";
import { signIn } from "./sign-in.ts";

const SignInRequest = Shape({
	email: Email,
	password: Type.String({ minLength: 1, maxLength: passwordLengthMax }),
	tenant_slug: Type.Optional(Type.String({ maxLength: 63 })),
	client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

const SignInResponse = Type.Object({
	...TokenResponse.properties,
	user: Type.Object({
		id: Type.String(),
		email: Type.String(),
		tenant_id: Type.String(),
		roles: Type.Array(Type.String()),
	}),
});

/** Sign-in by password (spec §4.1, §5.3); not an OpenID Connect endpoint. */
export const signInRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/login",
		access: open("§4.1: this is where people sign in"),
		schema: {
			summary: "Signs a user in by e-mail address and password",
			body: SignInRequest,
			response: {
				200: SignInResponse,
				400: FailureBody,
				401: FailureBody,
				403: FailureBody,
				429: FailureBody,
				503: FailureBody,
			},
		},
		handler: async (request, reply) => {
			requireOrigin(request, dependencies.allowedOrigins);
			const { email, password, tenant_slug: tenantSlug = "", client_id: clientId = "auth-ui" } = request.body;
			const { cookieValue, deviceCookieValue, membershipState, tokens } = await signIn(dependencies, {
				email,
				password,
				tenantSlug,
				clientId,
				ip: request.ip,
				deviceCookie: dependencies.deviceCookie.read(request),
				formerCookie: dependencies.cookie.read(request),
				userAgent: request.headers["user-agent"] ?? "",
				correlationId: request.id,
			});
			dependencies.cookie.write(reply, cookieValue);
			dependencies.deviceCookie.write(reply, deviceCookieValue);
			reply.header("cache-control", "no-store");
			const { user, tenant } = membershipState;
			return {
				...tokens,
				user: { id: user.id, email: user.email, tenant_id: tenant.id, roles: [...rolesOf(membershipState)] },
			};
		},
	}),
];
