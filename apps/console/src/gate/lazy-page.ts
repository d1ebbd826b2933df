import { whenOnline } from "@lango/interface";
import { lazyRouteComponent } from "@tanstack/react-router";

/** A page that is loaded when it is opened; without a network, when the network is back. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(whenOnline(load), name);
