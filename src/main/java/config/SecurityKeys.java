package config;

import static config.KeyTable.atLeast;
import static config.KeyTable.between;
import static config.KeyTable.caseInsensitive;
import static config.KeyTable.oneOf;

import java.util.List;

/** Keys of TLS, SASL, authorization and plug-ins, which are not built yet: only the defaults are allowed, so that nobody believes to be protected. */
final class SecurityKeys {

    private SecurityKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        encryption(keys);
        encryptionContinued(keys);
        authorization(keys);
        plugins(keys);
        return keys.list();
    }

    private static void encryption(KeyTable keys) {
        keys.refused("TLS and SASL listeners are not built yet; allowed: the default, with PLAINTEXT listeners");
        keys.classOf("sasl.client.callback.handler.class", null);
        keys.list("sasl.enabled.mechanisms", "GSSAPI", null).perBroker();
        keys.password("sasl.jaas.config").perBroker();
        keys.string("sasl.kerberos.kinit.cmd", "/usr/bin/kinit", null).perBroker();
        keys.int64("sasl.kerberos.min.time.before.relogin", 60000L, null).perBroker();
        keys.list("sasl.kerberos.principal.to.local.rules", "DEFAULT", null).perBroker();
        keys.string("sasl.kerberos.service.name", null, null).perBroker();
        keys.float64("sasl.kerberos.ticket.renew.jitter", 0.05, null).perBroker();
        keys.float64("sasl.kerberos.ticket.renew.window.factor", 0.8, null).perBroker();
        keys.classOf("sasl.login.callback.handler.class", null);
        keys.classOf("sasl.login.class", null);
        keys.int32("sasl.login.connect.timeout.ms", null, null);
        keys.int32("sasl.login.read.timeout.ms", null, null);
        keys.int16("sasl.login.refresh.buffer.seconds", (short) 300, null).perBroker();
        keys.int16("sasl.login.refresh.min.period.seconds", (short) 60, null).perBroker();
        keys.float64("sasl.login.refresh.window.factor", 0.8, null).perBroker();
        keys.float64("sasl.login.refresh.window.jitter", 0.05, null).perBroker();
        keys.int64("sasl.login.retry.backoff.max.ms", 10000L, null);
        keys.int64("sasl.login.retry.backoff.ms", 100L, null);
        keys.string("sasl.mechanism.controller.protocol", "GSSAPI", null);
        keys.string("sasl.mechanism.inter.broker.protocol", "GSSAPI", null).perBroker();
        keys.bool("sasl.oauthbearer.allow.unverified.audience", false);
        keys.bool("sasl.oauthbearer.allow.unverified.issuer", false);
        keys.string("sasl.oauthbearer.assertion.algorithm", "RS256", caseInsensitive("ES256", "RS256"));
        keys.string("sasl.oauthbearer.assertion.claim.aud", null, null);
        keys.int32("sasl.oauthbearer.assertion.claim.exp.seconds", 300, between(0, 86400));
        keys.string("sasl.oauthbearer.assertion.claim.iss", null, null);
        keys.bool("sasl.oauthbearer.assertion.claim.jti.include", false);
        keys.int32("sasl.oauthbearer.assertion.claim.nbf.seconds", 60, between(0, 3600));
        keys.string("sasl.oauthbearer.assertion.claim.sub", null, null);
        keys.string("sasl.oauthbearer.assertion.file", null, null);
        keys.string("sasl.oauthbearer.assertion.private.key.file", null, null);
        keys.password("sasl.oauthbearer.assertion.private.key.passphrase");
        keys.string("sasl.oauthbearer.assertion.template.file", null, null);
        keys.string("sasl.oauthbearer.client.credentials.client.id", null, null);
        keys.password("sasl.oauthbearer.client.credentials.client.secret");
        keys.int32("sasl.oauthbearer.clock.skew.seconds", 30, null);
        keys.list("sasl.oauthbearer.expected.audience", "", null);
        keys.string("sasl.oauthbearer.expected.issuer", null, null);
        keys.int64("sasl.oauthbearer.jwks.endpoint.refresh.ms", 3600000L, null);
        keys.int64("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", 10000L, null);
        keys.int64("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", 100L, null);
        keys.string("sasl.oauthbearer.jwks.endpoint.url", null, null);
        keys.classOf(
                "sasl.oauthbearer.jwt.retriever.class",
                "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever");
    }

    private static void encryptionContinued(KeyTable keys) {
        keys.refused("TLS and SASL listeners are not built yet; allowed: the default, with PLAINTEXT listeners");
        keys.classOf(
                "sasl.oauthbearer.jwt.validator.class",
                "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator");
        keys.string("sasl.oauthbearer.scope", null, null);
        keys.string("sasl.oauthbearer.scope.claim.name", "scope", null);
        keys.string("sasl.oauthbearer.sub.claim.name", "sub", null);
        keys.string("sasl.oauthbearer.token.endpoint.url", null, null);
        keys.classOf("sasl.server.callback.handler.class", null);
        keys.int32("sasl.server.max.receive.size", 524288, null);
        keys.bool("ssl.allow.dn.changes", false);
        keys.bool("ssl.allow.san.changes", false);
        keys.list("ssl.cipher.suites", "", null).perBroker();
        keys.string("ssl.client.auth", "none", oneOf("required", "requested", "none"))
                .perBroker();
        keys.list("ssl.enabled.protocols", "TLSv1.2,TLSv1.3", null).perBroker();
        keys.string("ssl.endpoint.identification.algorithm", "https", null).perBroker();
        keys.classOf("ssl.engine.factory.class", null).perBroker();
        keys.password("ssl.key.password").perBroker();
        keys.string("ssl.keymanager.algorithm", "SunX509", null).perBroker();
        keys.password("ssl.keystore.certificate.chain").perBroker();
        keys.password("ssl.keystore.key").perBroker();
        keys.string("ssl.keystore.location", null, null).perBroker();
        keys.password("ssl.keystore.password").perBroker();
        keys.string("ssl.keystore.type", "JKS", null).perBroker();
        keys.string("ssl.principal.mapping.rules", "DEFAULT", null);
        keys.string("ssl.protocol", "TLSv1.3", null).perBroker();
        keys.string("ssl.provider", null, null).perBroker();
        keys.string("ssl.secure.random.implementation", null, null).perBroker();
        keys.string("ssl.trustmanager.algorithm", "PKIX", null).perBroker();
        keys.password("ssl.truststore.certificates").perBroker();
        keys.string("ssl.truststore.location", null, null).perBroker();
        keys.password("ssl.truststore.password").perBroker();
        keys.string("ssl.truststore.type", "JKS", null).perBroker();
    }

    private static void authorization(KeyTable keys) {
        keys.refused("authentication and authorization are not built yet; allowed: the default");
        keys.string("authorizer.class.name", "", null);
        keys.int32("connection.failed.authentication.delay.ms", 100, atLeast(0));
        keys.int64("connections.max.reauth.ms", 0L, null);
        keys.int64("delegation.token.expiry.check.interval.ms", 3600000L, atLeast(1));
        keys.int64("delegation.token.expiry.time.ms", 86400000L, atLeast(1));
        keys.int64("delegation.token.max.lifetime.ms", 604800000L, atLeast(1));
        keys.password("delegation.token.secret.key");
        keys.classOf(
                        "principal.builder.class",
                        "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder")
                .perBroker();
        keys.string("security.providers", null, null);
    }

    private static void plugins(KeyTable keys) {
        keys.refused("plugs in classes, and no plug-ins are loaded; allowed: the default");
        keys.classOf("alter.config.policy.class.name", null);
        keys.classOf("client.quota.callback.class", null);
        keys.list("config.providers", "", null).clusterWide();
        keys.classOf("create.topic.policy.class.name", null);
    }
}
