// Published by the test of binary compatibility, and missing in the build that is compared.
package tidegate {

  final class RemovedFromTheApi

  object PythonFacadeOfBefore

  package planning {
    final class RemovedInside
  }

  package javaapi {
    final class RemovedForJava
  }
}
